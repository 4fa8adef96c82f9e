/* SPDX-License-Identifier: MIT */
/*
 * Why there is no NPU here: checks in the order in which one thing needs another, each
 * of which says what it found and the command that mends it.
 */
#ifndef SCORIA_DOCTOR_H
#define SCORIA_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOCTOR_CORES 3

enum verdict {
	GOOD,
	NOTED,		/* jobs can run, but somebody may want to know */
	UNKNOWN,	/* what would tell cannot be read */
	BAD,
	SKIPPED,	/* something that it needs is bad */
};

/**
 * struct finding - what a check found
 * @found: in words
 * @fix:   what to do; empty when there is nothing to do
 */
struct finding {
	enum verdict verdict;
	char found[768];
	char fix[768];
};

/**
 * struct tree_core - a core of the NPU in the device tree
 * @node:    path below /proc/device-tree
 * @device:  name of its platform device, fdab0000.npu
 * @enabled: its status is okay
 * @iommu:   phandle of its IOMMU, 0 for none
 */
struct tree_core {
	char node[128];
	char device[32];
	bool enabled;
	uint32_t iommu;
};

/**
 * struct tree - what the device tree has of the NPU
 * @readable: there is one
 * @symbols:  overlays can be applied to it
 * @vendor:   path of a node for the vendor's driver, or empty
 * @cores:    @n_cores of them
 */
struct tree {
	bool readable;
	bool symbols;
	char vendor[128];
	struct tree_core cores[DOCTOR_CORES];
	unsigned int n_cores;
};

/**
 * struct doctor - the command in work
 * @root:    see root.h
 * @device:  where to run a job
 * @release: of the kernel
 * @tree:    the device tree
 */
struct doctor {
	const char *root;
	const char *device;
	char release[96];
	struct tree tree;
};

/* Find the NPU's nodes. */
void doctor_read_tree(struct doctor *doctor);

/* Set @finding; the fix comes first, NULL for none. */
__attribute__((format(printf, 3, 4)))
void find_bad(struct finding *finding, const char *fix, const char *format, ...);
__attribute__((format(printf, 3, 4)))
void find_noted(struct finding *finding, const char *fix, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void find_good(struct finding *finding, const char *format, ...);
__attribute__((format(printf, 2, 3)))
void find_unknown(struct finding *finding, const char *format, ...);

/* Write behind what stands in @text, which has room for @size. */
__attribute__((format(printf, 3, 4)))
void append(char *text, size_t size, const char *format, ...);

/* The machine: doctor_machine.c */
void check_board(struct doctor *doctor, struct finding *finding);
void check_kernel(struct doctor *doctor, struct finding *finding);
void check_accel(struct doctor *doctor, struct finding *finding);
void check_memory(struct doctor *doctor, struct finding *finding);

/* The device tree: doctor_tree.c */
void check_nodes(struct doctor *doctor, struct finding *finding);
void check_iommus(struct doctor *doctor, struct finding *finding);

/* Drivers: doctor_driver.c */
void check_iommu_driver(struct doctor *doctor, struct finding *finding);
void check_other_drivers(struct doctor *doctor, struct finding *finding);
void check_module(struct doctor *doctor, struct finding *finding);
void check_binding(struct doctor *doctor, struct finding *finding);

/* What userspace opens, and a job: doctor_device.c */
void check_node(struct doctor *doctor, struct finding *finding);
void check_driver(struct doctor *doctor, struct finding *finding);
void check_job(struct doctor *doctor, struct finding *finding);

#endif
