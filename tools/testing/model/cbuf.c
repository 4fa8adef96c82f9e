// SPDX-License-Identifier: MIT
/* CBUF: 384 KiB as bytes. Addresses beyond its end start over. */
#include <string.h>

#include "conv.h"

void cbuf_store(struct npu_core *core, size_t at, const uint8_t *src, size_t len)
{
	core->cbuf_used = true;
	while (len) {
		const size_t to = at % CBUF_BYTES;
		const size_t n = len < CBUF_BYTES - to ? len : CBUF_BYTES - to;

		memcpy(core->cbuf + to, src, n);
		src += n;
		at += n;
		len -= n;
	}
}

void cbuf_load(const struct npu_core *core, size_t at, uint8_t *dst, size_t len)
{
	while (len) {
		const size_t from = at % CBUF_BYTES;
		const size_t n = len < CBUF_BYTES - from ? len : CBUF_BYTES - from;

		memcpy(dst, core->cbuf + from, n);
		dst += n;
		at += n;
		len -= n;
	}
}
