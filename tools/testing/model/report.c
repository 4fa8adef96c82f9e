// SPDX-License-Identifier: MIT
/* Reports to the host and the states that they explain. */
#include <stdarg.h>
#include <stdio.h>

#include "npu.h"

static void report(struct npu_core *core, enum npu_severity severity,
		   uint32_t address, const char *text)
{
	const struct npu_report r = {
		.severity = severity,
		.core = core->options.core_index,
		.task = core->task,
		.word = core->word,
		.address = address,
		.text = text,
	};

	if (core->host.report)
		core->host.report(core->ctx, &r);
}

static void vreport(struct npu_core *core, enum npu_severity severity,
		    const char *fmt, va_list ap)
{
	char text[192];

	if (!core->host.report)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	report(core, severity, core->word_addr, text);
}

void npu_note(struct npu_core *core, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(core, NPU_NOTE, fmt, ap);
	va_end(ap);
}

void npu_warn(struct npu_core *core, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(core, NPU_WARNING, fmt, ap);
	va_end(ap);
}

void npu_error(struct npu_core *core, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vreport(core, NPU_ERROR, fmt, ap);
	va_end(ap);
}

bool npu_stop(struct npu_core *core, enum npu_state state, const char *fmt, ...)
{
	va_list ap;

	/* the first cause is the one to tell */
	if (core->state == NPU_HUNG || core->state == NPU_STALLED ||
	    core->state == NPU_BROKEN)
		return false;
	va_start(ap, fmt);
	vsnprintf(core->reason, sizeof(core->reason), fmt, ap);
	va_end(ap);
	core->state = state;
	report(core, NPU_ERROR, core->word_addr, core->reason);
	return false;
}

/*
 * The name of the field that holds the lowest bit of @bits, which may be all
 * of a register that has none.
 */
static const struct npu_field *field_of(const struct npu_reg *reg, uint32_t bits)
{
	const unsigned int bit = (unsigned int)__builtin_ctz(bits);

	for (unsigned int i = 0; i < reg->n_fields; i++)
		if (reg->fields[i].lsb <= bit && bit <= reg->fields[i].msb)
			return &reg->fields[i];
	return NULL;
}

static void note_field(struct npu_core *core, const struct npu_reg *reg,
		       uint32_t value, uint32_t bits)
{
	const struct npu_field *field = field_of(reg, bits);
	const char *block = npu_blocks[reg->block].name;

	if (field)
		npu_note(core, "model: unmodelled field %s.%s.%s=%#x", block,
			 reg->name, field->name,
			 npu_get((uint32_t)((2ull << field->msb) - (1ull << field->lsb)), value));
	else
		npu_note(core, "model: unmodelled bits of %s.%s: %#x", block, reg->name, bits);
}

void npu_check_unmodelled(struct npu_core *core,
			  const struct npu_unmodelled *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct npu_reg *reg = npu_reg_find(table[i].offset);
		uint32_t value, bits;
		uint32_t *noted;

		if (!reg)
			continue;
		value = npu_reg(core, table[i].offset);
		noted = &core->noted[reg - npu_regs];
		bits = value & table[i].mask & ~*noted;
		if (!bits)
			continue;
		*noted |= table[i].mask;
		note_field(core, reg, value, bits);
	}
}
