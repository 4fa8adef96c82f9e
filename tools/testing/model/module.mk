# SPDX-License-Identifier: MIT
MODEL_SRC := $(addprefix tools/testing/model/, model.c regs.c report.c bus.c cost.c numeric.c switches.c \
	elements.c pc.c task.c cbuf.c cna.c cna_features.c cna_weights.c core.c mac.c dpu.c dpu_stages.c dpu_lut.c dpu_cvt.c \
	dpu_rdma.c dpu_wdma.c ppu.c iommu.c)
MODEL_OBJ := $(MODEL_SRC:%.c=$(O)/%.o)
MODEL_LIB := $(O)/libscoria-model.a
LIBRARIES += $(MODEL_LIB)

# what boards have answered
ANSWERS ?= tools/testing/model/answers.def
$(O)/tools/testing/model/switches.o: CPPFLAGS += -DNPU_ANSWERS='"$(abspath $(ANSWERS))"'
$(O)/tools/testing/model/switches.o: $(ANSWERS)

# products of 16-bit floats are exact in double, so fusing changes no bit
$(O)/tools/testing/model/mac.o: OPT += -O3 -ffp-contract=fast

$(MODEL_LIB): $(MODEL_OBJ) $(NPU_TABLE_OBJS)
	@mkdir -p $(@D)
	@rm -f $@
	$(AR) rcs $@ $^
