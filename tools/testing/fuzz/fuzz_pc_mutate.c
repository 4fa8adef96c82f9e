// SPDX-License-Identifier: MIT
/*
 * Changes that keep an input of fuzz_pc a command stream most of the time:
 * words are written, moved, repeated and dropped whole, with the registers of
 * the database and values at the edges of their fields.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "fuzz_pc.h"
#include "npu_table.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* The words of an input. */
struct stream {
	uint8_t *words;
	size_t n;
	size_t room;	/* words that fit */
	uint32_t random;
};

static uint32_t next_random(struct stream *s)
{
	s->random ^= s->random << 13;
	s->random ^= s->random >> 17;
	s->random ^= s->random << 5;
	return s->random;
}

static uint64_t get_word(const struct stream *s, size_t i)
{
	uint64_t word;

	memcpy(&word, s->words + 8 * i, 8);
	return word;
}

static void put_word(struct stream *s, size_t i, uint64_t word)
{
	memcpy(s->words + 8 * i, &word, 8);
}

/* A value that one field of @reg likes, in the place of what @old has there. */
static uint32_t field_value(struct stream *s, const struct npu_reg *reg, uint32_t old)
{
	const struct npu_field *field;
	uint32_t max, value;

	if (!reg->n_fields)
		return next_random(s);
	field = &reg->fields[next_random(s) % reg->n_fields];
	max = 0xffffffffu >> (31 - field->msb + field->lsb);
	switch (next_random(s) % 6) {
	case 0:
		value = max;
		break;
	case 1:
		value = 0;
		break;
	case 2:
		value = (old >> field->lsb) + 1;
		break;
	case 3:
		value = (old >> field->lsb) - 1;
		break;
	case 4:
		value = field->n_values ? field->values[next_random(s) % field->n_values].value : 1;
		break;
	default:
		value = next_random(s) >> next_random(s) % 32;
	}
	return (old & ~(max << field->lsb)) | (value & max) << field->lsb;
}

static uint64_t random_write(struct stream *s)
{
	const struct npu_reg *reg = &npu_regs[next_random(s) % npu_n_regs];

	return (uint64_t)npu_blocks[reg->block].target << 48 |
	       (uint64_t)field_value(s, reg, 0) << 16 | reg->offset;
}

static void change_field(struct stream *s, size_t i)
{
	uint64_t word = get_word(s, i);
	const struct npu_reg *reg = npu_reg_find(word & 0xffff);

	if (reg)
		put_word(s, i, (word & 0xffff00000000ffff) |
			       (uint64_t)field_value(s, reg, word >> 16) << 16);
	else
		put_word(s, i, random_write(s));
}

static void insert_write(struct stream *s, size_t i)
{
	if (s->n == s->room)
		return;
	memmove(s->words + 8 * (i + 1), s->words + 8 * i, 8 * (s->n - i));
	s->n++;
	put_word(s, i, random_write(s));
}

static void drop_word(struct stream *s, size_t i)
{
	memmove(s->words + 8 * i, s->words + 8 * (i + 1), 8 * (s->n - i - 1));
	s->n--;
}

static void swap_words(struct stream *s, size_t i)
{
	size_t j = next_random(s) % s->n;
	uint64_t word = get_word(s, i);

	put_word(s, i, get_word(s, j));
	put_word(s, j, word);
}

static void enable(struct stream *s, size_t i)
{
	static const uint32_t masks[] = { 0x0d, 0x1d, 0x18, 0x60, 0x7f, 0x3d, 0x38, 0x08 };

	put_word(s, i, 0x0081ull << 48 | masks[next_random(s) % 8] << 16 | 8);
}

static void change_words(struct stream *s)
{
	static void (*const changes[])(struct stream * s, size_t i) = {
		change_field, change_field, change_field, insert_write,
		drop_word,    swap_words,   enable,
	};

	for (uint32_t n = 1 + next_random(s) % 4; n && s->n; n--)
		changes[next_random(s) % 7](s, next_random(s) % s->n);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	struct stream s = { .random = seed * 2654435761u | 1 };
	struct fuzz_pc_header header;
	size_t first;

	if (size < sizeof(header) || next_random(&s) % 4 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	memcpy(&header, data, sizeof(header));
	first = sizeof(header) + header.n_writes * sizeof(struct fuzz_pc_write);
	if (size < first + 8)
		return LLVMFuzzerMutate(data, size, max_size);
	s.words = data + first;
	s.n = (size - first) / 8;
	s.room = (max_size - first) / 8;
	change_words(&s);
	return first + 8 * s.n;
}
