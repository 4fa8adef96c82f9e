// SPDX-License-Identifier: MIT
/*
 * The generated table against facts restated by hand from the programming
 * model, sections A2, A3, B1, B5, B6 and C5.
 */
#include "npu_table.h"
#include "../../tools/testing/model/tests/tap.h"

static const struct npu_field *find_field(uint32_t offset, const char *name)
{
	const struct npu_reg *reg = npu_reg_find(offset);

	for (unsigned int i = 0; reg && i < reg->n_fields; i++)
		if (!strcmp(reg->fields[i].name, name))
			return &reg->fields[i];
	return NULL;
}

static const char *meaning(uint32_t offset, const char *name, uint32_t value)
{
	const struct npu_field *field = find_field(offset, name);

	for (unsigned int i = 0; field && i < field->n_values; i++)
		if (field->values[i].value == value)
			return field->values[i].meaning;
	return "";
}

TEST(every_register_is_found_at_its_offset_and_nowhere_else)
{
	unsigned int found = 0;

	for (uint32_t offset = 0; offset < 0x20000; offset++)
		found += npu_reg_find(offset) != NULL;
	EXPECT_EQ(npu_n_regs, found);
	for (unsigned int i = 0; i < npu_n_regs; i++)
		EXPECT(npu_reg_find(npu_regs[i].offset) == &npu_regs[i]);
	EXPECT(!npu_reg_find(UINT32_MAX));
}

TEST(registers_ascend_and_lie_in_their_block)
{
	for (unsigned int i = 0; i < npu_n_regs; i++) {
		const struct npu_block *block = &npu_blocks[npu_regs[i].block];

		EXPECT(!i || npu_regs[i].offset > npu_regs[i - 1].offset);
		EXPECT(npu_regs[i].offset - block->base < 0x1000);
	}
}

TEST(fields_are_disjoint_and_make_up_the_mask)
{
	for (unsigned int i = 0; i < npu_n_regs; i++) {
		const struct npu_reg *reg = &npu_regs[i];
		uint32_t mask = 0;

		for (unsigned int f = 0; f < reg->n_fields; f++) {
			uint32_t bits = UINT32_MAX >> (31 - reg->fields[f].msb) >>
					reg->fields[f].lsb << reg->fields[f].lsb;

			EXPECT(!(mask & bits));
			mask |= bits;
		}
		EXPECT_EQ(mask, reg->mask);
		EXPECT(reg->n_fields);
		EXPECT(reg->meaning && reg->meaning[0]);
	}
}

TEST(ddma_resets_are_those_read_on_boards)
{
	EXPECT_EQ(0xfff, npu_reg_find(0x8000)->reset);
	EXPECT_EQ(0x01010101, npu_reg_find(0x8004)->reset);
	EXPECT_EQ(0x00010101, npu_reg_find(0x8008)->reset);
	EXPECT_EQ(0x00000101, npu_reg_find(0x8010)->reset);
	EXPECT_EQ(0x100, npu_reg_find(0x8030)->reset);
	for (uint32_t offset = 0x8034; offset <= 0x803c; offset += 4)
		EXPECT_EQ(0, npu_reg_find(offset)->reset);
}

TEST(version_words_add_up_to_the_number_that_drivers_check)
{
	EXPECT_EQ(0x46495245, npu_reg_find(0)->reset + (npu_reg_find(4)->reset & 0xffff));
	EXPECT_EQ(0x1ffff, npu_reg_find(0x20)->reset);
}

TEST(pointer_and_status_are_single_and_the_rest_of_a_block_is_shadowed)
{
	for (unsigned int i = 0; i < npu_n_regs; i++) {
		const struct npu_reg *reg = &npu_regs[i];

		if (npu_blocks[reg->block].enable_bit < 0)
			EXPECT(!reg->shadow);
		else
			EXPECT_EQ((reg->offset & 0xfff) >= 8, reg->shadow);
	}
}

TEST(stream_permission_follows_the_block_and_the_offset)
{
	for (unsigned int i = 0; i < npu_n_regs; i++) {
		const struct npu_reg *reg = &npu_regs[i];
		unsigned int low = reg->offset & 0xfff;
		enum npu_stream want = NPU_STREAM_NO;

		if (reg->offset == 0x10 || reg->offset == 0x14)
			want = NPU_STREAM_LINK;
		else if (reg->offset >= 0x1000 && reg->offset < 0x8000)
			want = low == 4 ? NPU_STREAM_POINTER : low > 8 ? NPU_STREAM_YES :
			       NPU_STREAM_NO;
		EXPECT_EQ(want, reg->stream);
	}
}

TEST(the_registers_that_hold_addresses_are_marked)
{
	static const struct { uint16_t offset; uint8_t address; } want[] = {
		{ 0x0010, NPU_ADDRESS_COMMANDS }, { 0x1070, NPU_ADDRESS_READ },
		{ 0x1110, NPU_ADDRESS_READ }, { 0x4020, NPU_ADDRESS_WRITE },
		{ 0x5018, NPU_ADDRESS_READ }, { 0x5020, NPU_ADDRESS_READ },
		{ 0x502c, NPU_ADDRESS_READ }, { 0x5038, NPU_ADDRESS_READ },
		{ 0x6070, NPU_ADDRESS_WRITE }, { 0x701c, NPU_ADDRESS_READ },
	};
	unsigned int marked = 0;

	for (unsigned int i = 0; i < npu_n_regs; i++)
		marked += npu_regs[i].address != NPU_ADDRESS_NONE;
	EXPECT_EQ(sizeof(want) / sizeof(want[0]), marked);
	for (unsigned int i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		EXPECT_EQ(want[i].address, npu_reg_find(want[i].offset)->address);
}

TEST(blocks_have_their_targets_and_enable_bits)
{
	static const struct { uint8_t block; uint16_t base, target; int bit; } want[] = {
		{ NPU_PC, 0, 0x0101, -1 }, { NPU_CNA, 0x1000, 0x0201, 0 },
		{ NPU_CORE, 0x3000, 0x0801, 2 }, { NPU_DPU, 0x4000, 0x1001, 3 },
		{ NPU_DPU_RDMA, 0x5000, 0x2001, 4 }, { NPU_PPU, 0x6000, 0x4001, 5 },
		{ NPU_PPU_RDMA, 0x7000, 0x8001, 6 }, { NPU_DDMA, 0x8000, 0, -1 },
		{ NPU_SDMA, 0x9000, 0, -1 }, { NPU_GLOBAL, 0xf000, 0, -1 },
	};

	EXPECT_EQ(NPU_N_BLOCKS, sizeof(want) / sizeof(want[0]));
	for (unsigned int i = 0; i < NPU_N_BLOCKS; i++) {
		const struct npu_block *block = &npu_blocks[want[i].block];

		EXPECT_EQ(want[i].base, block->base);
		EXPECT_EQ(want[i].target, block->target);
		EXPECT_EQ(want[i].bit, block->enable_bit);
	}
}

TEST(enumerations_say_what_the_hardware_does)
{
	EXPECT_STR("depthwise", meaning(0x100c, "CONV_MODE", 3));
	EXPECT_STR("fp16", meaning(0x100c, "PROC_PRECISION", 2));
	EXPECT_STR("tf32", meaning(0x3010, "PROC_PRECISION", 7));
	EXPECT_STR("fp32", meaning(0x4010, "OUT_PRECISION", 5));
	EXPECT_STR("max", meaning(0x4040, "BS_ALU_ALGO", 0));
	EXPECT_STR("min", meaning(0x4060, "BN_ALU_ALGO", 1));
	EXPECT_STR("subtract", meaning(0x4040, "BS_ALU_ALGO", 4));
	EXPECT_STR("divide", meaning(0x4070, "EW_ALU_ALGO", 3));
	EXPECT_STR("PPU + memory", meaning(0x400c, "OUTPUT_MODE", 3));
	EXPECT_STR("ALU + MUL", meaning(0x501c, "BRDMA_DATA_USE", 5));
	EXPECT_STR("average", meaning(0x6024, "POOLING_METHOD", 0));
}

TEST(access_of_status_pointer_and_interrupt_registers)
{
	EXPECT_EQ(NPU_RO, npu_reg_find(0x0000)->access);
	EXPECT_EQ(NPU_RO, npu_reg_find(0x1000)->access);
	EXPECT_EQ(NPU_RW, npu_reg_find(0x4004)->access);
	EXPECT_EQ(NPU_RO, find_field(0x4004, "EXECUTER")->access);
	EXPECT_EQ(NPU_W1C, find_field(0x4004, "POINTER_PP_CLEAR")->access);
	EXPECT_EQ(NPU_W1C, npu_reg_find(0x0024)->access);
}

TEST_MAIN()
