// SPDX-License-Identifier: MIT
/* All experiments, and what none can settle. */
#include "experiment.h"

static const struct family *const families[] = {
	&ask_pc, &ask_cna, &ask_cbuf, &ask_weights, &ask_core, &ask_integer, &ask_float,
	&ask_lut, &ask_output, &ask_residual, &ask_ppu,
};

const struct experiment *experiment_for(enum npu_switch id)
{
	for (size_t f = 0; f < sizeof(families) / sizeof(families[0]); f++)
		for (unsigned int i = 0; i < families[f]->n; i++)
			if (families[f]->experiments[i].asks == id)
				return &families[f]->experiments[i];
	return NULL;
}

#define DRIVER_ONLY	"only a driver can write or read it; no ioctl reaches it"
#define NO_PROGRAM	"no program that is known to use it says what to expect; the model reports it"

const struct unasked unasked[] = {
	{ "A2", "whether the cores differ in the last bit of some fp16 columns",
	  "the driver picks the core, and which inputs showed it is not recorded" },
	{ "B5, K18", "content of TASK_STATUS; TASK_CON bit 14", DRIVER_ONLY },
	{ "B6, K18", "S_POINTER bits 29:28, and pointers without ping-pong", DRIVER_ONLY },
	{ "B6", "writes to a register group that is pending or running are lost",
	  "shows only to a CPU that writes while a task runs; " DRIVER_ONLY },
	{ "B8, K19", "the vendor's sparse chain that spoils the next job",
	  "its commands are not published" },
	{ "B8", "residual settings that do not match wedge the next job",
	  "known from boards; another look would tell nothing new" },
	{ "C3", "where int8 accumulators saturate",
	  "no sum that fits into CBUF comes near 2^31" },
	{ "C6, K7", "EW_EQUAL_EN and EW_BINARY_EN", NO_PROGRAM },
	{ "C9, K11", "LUT modes MUX, EXPAND, ROAD_SEL and CAL_SEL", NO_PROGRAM },
	{ "C9", "tanh: 0.0034 on a board, 0.0039 in the model",
	  "the range of the board's run is not recorded, so nothing can be compared" },
	{ "H6, K11", "uploading tables while an earlier task of the chain looks up",
	  "the model runs tasks one after the other, so its switch could only guess; the library "
	  "uploads in front of the first task" },
	{ "E3, K13", "DATA_BANK as a count, not as the last bank",
	  "every program that runs on boards writes counts" },
	{ "F3, K15", "notch 15 for inputs of width 3 in Mesa",
	  "the library writes what the rule says; small-planes asks about the rule" },
	{ "E4, K16", "deconvolution, DCOMP, regroup, transpose, MC_SURF_OUT, NONALIGN, unpooling, "
	  "MINMAX, FC zero skipping", NO_PROGRAM },
	{ "G, K9", "USE_CNT and INDEX_EN of the PPU", NO_PROGRAM },
	{ "B1, K17", "whether a stream can reach 0x8000 to 0xafff, where the IOMMU is",
	  "an experiment that succeeds would own the machine; routing asks half of it" },
	{ "J, K20", "bandwidth, depthwise MAC rate, overhead of a task",
	  "they change time and no result; make bench measures them" },
};

const unsigned int n_unasked = sizeof(unasked) / sizeof(unasked[0]);
