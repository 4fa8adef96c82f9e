/* SPDX-License-Identifier: MIT */
/*
 * The limits of the hardware, and the constants of the way in which it is
 * driven, each with its source in Documentation's programming model.
 */
#ifndef SCORIA_LIMITS_H
#define SCORIA_LIMITS_H

/* Addresses in commands are 32 bits wide (A3). */
#define NPU_WINDOW		0x100000000ull

/* Every DMA moves units of 16 bytes (section 0). */
#define NPU_UNIT		16u

/* CBUF: 12 banks of 32 KiB; DATA_ENTRIES counts 64-byte entries (A2, E3). */
#define NPU_BANKS		12u
#define NPU_BANK_BYTES		32768u
#define NPU_BANK_ENTRIES	(NPU_BANK_BYTES / 64)

/*
 * Features never take more than 11 banks (E3), and one kernel group takes at
 * most 10: k = 10240 is the largest single pass that was right on boards (E5).
 * This also keeps one kernel below a bank, as rocket-userspace does (E3).
 */
#define NPU_MAX_DATA_BANKS	11u
#define NPU_MAX_GROUP_BYTES	(10u * NPU_BANK_BYTES)

/* 11-bit sizes of CNA (E5); DATAOUT_WIDTH has 11 bits as well (E1). */
#define NPU_MAX_CNA_SIZE	2047u

/* DATAOUT_ATOMICS has 22 bits (E5). */
#define NPU_MAX_ATOMICS		0x3fffffu

/*
 * DPU and RDMA sizes have 13 bits, but one report has wrong elements at the very
 * maximum, so the advice is to stay at 4096 to 8000 (E5).
 */
#define NPU_MAX_OUT_CHANNELS	4096u
#define NPU_MAX_VECTOR		8000u

/* NOTCH has 13 bits (D6). */
#define NPU_MAX_NOTCH		8191u

#define NPU_MAX_KERNEL		31u		/* E5 */
#define NPU_MAX_STRIDE		7u		/* 8 wraps silently (E5) */
#define NPU_MAX_PAD		15u		/* E5 */
#define NPU_MAX_DILATION	32u		/* E5 */
#define NPU_MAX_GRAINS		1023u		/* 10 bits (E3) */

/*
 * Pooling (G): 4-bit kernels and strides, 3-bit padding. Sizes have 13 bits as the
 * DPU's, and the same caution. A cube of fewer than 4x4 that the PPU wrote was
 * misread by the next PPU job on a board.
 */
#define NPU_MAX_POOL_KERNEL	16u
#define NPU_MAX_POOL_STRIDE	16u
#define NPU_MAX_POOL_PAD	7u
#define NPU_MAX_POOL_SIZE	4096u
#define NPU_MIN_POOL_CUBE	4u

/* A channel group of direct convolution weights; tf32 has half of it (A2, D2). */
#define NPU_CHANNEL_GROUP	32u

/* An int4 task saturates to 16 bits: 8 * 8 * channels must not exceed 2^15 - 1 (C3). */
#define NPU_MAX_INT4_CHANNELS	480u

/* size_e has 3 bits: at most 8 surfaces a kernel group (D5). */
#define NPU_MAX_SIZE_E		7u

/* Lines that the grouped mode reads together (E2). */
#define NPU_GROUPED_LINES	4u

/* Strides between rows and surfaces are modulo 2^28 units (E2). */
#define NPU_STRIDE_MASK		0x0fffffffu

/* Cores of an RK3588 (A1). */
#define NPU_MAX_CORES		3u

/* TASK_NUMBER has 12 bits; chains of 4095 run (B4, B5). */
#define NPU_MAX_TASKS		4095u

/* Converter multipliers are kept within int16, shifts within 63 (C7). */
#define NPU_MIN_CVT_SCALE	0x4000u
#define NPU_MAX_CVT_SCALE	0x7fffu
#define NPU_MAX_CVT_SHIFT	63u

/* Both pointers of a block alternate between its register groups (B6). */
#define NPU_S_POINTER_PING_PONG	0xeu

/* Segments start on 64 bytes as Mesa's and the vendor's do; 16 are needed (B3). */
#define NPU_SEGMENT_ALIGN	64u

/* REGISTER_AMOUNTS: 128-bit beats minus one (B3). */
#define NPU_FETCH_AMOUNT(words)	(((words) + 1) / 2 - 1)

/* Bit 14 is written as 1 by all drivers (B5); count clear, fetch ahead. */
#define NPU_TASK_CON_MODE	0x7000u

/* DPU or PPU done in either register group; all interrupt bits (B5, B7). */
#define NPU_DPU_DONE		0x300u
#define NPU_PPU_DONE		0xc00u
#define NPU_ALL_INTERRUPTS	0x1ffffu

#endif
