// SPDX-License-Identifier: MIT
#include <stddef.h>
#include <stdlib.h>

#include "npu_table.h"

static int compare_offset(const void *key, const void *element)
{
	uint32_t offset = *(const uint32_t *)key;
	const struct npu_reg *reg = element;

	return (offset > reg->offset) - (offset < reg->offset);
}

const struct npu_reg *npu_reg_find(uint32_t offset)
{
	return bsearch(&offset, npu_regs, npu_n_regs, sizeof(npu_regs[0]), compare_offset);
}
