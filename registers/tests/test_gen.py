#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The register database and its generator, in TAP.

Offsets and masks are restated by hand from the programming model, so that a
wrong row cannot agree with itself.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

REGISTERS = pathlib.Path(__file__).resolve().parent.parent
GENERATED = ("rk3588_npu.h", "rk3588_npu_table.c", "rk3588_npu_stream.h")

# Sections B5, B6, E1, F1, F2 and G.
OFFSETS = {
    "PC_VERSION": 0x0000, "PC_OPERATION_ENABLE": 0x0008, "PC_BASE_ADDRESS": 0x0010,
    "PC_REGISTER_AMOUNTS": 0x0014, "PC_INTERRUPT_MASK": 0x0020, "PC_INTERRUPT_CLEAR": 0x0024,
    "PC_INTERRUPT_STATUS": 0x0028, "PC_INTERRUPT_RAW_STATUS": 0x002C, "PC_TASK_CON": 0x0030,
    "PC_TASK_DMA_BASE_ADDR": 0x0034, "PC_TASK_STATUS": 0x003C,
    "CNA_S_POINTER": 0x1004, "CNA_CONV_CON1": 0x100C, "CNA_CONV_CON2": 0x1010,
    "CNA_CONV_CON3": 0x1014, "CNA_DATA_SIZE0": 0x1020, "CNA_DATA_SIZE3": 0x102C,
    "CNA_WEIGHT_SIZE0": 0x1030, "CNA_WEIGHT_SIZE2": 0x1038, "CNA_CBUF_CON0": 0x1040,
    "CNA_CBUF_CON1": 0x1044, "CNA_CVT_CON0": 0x104C, "CNA_CVT_CON4": 0x105C,
    "CNA_CVT_CON5": 0x1180, "CNA_FC_CON0": 0x1060, "CNA_PAD_CON0": 0x1068,
    "CNA_FEATURE_DATA_ADDR": 0x1070, "CNA_FC_CON2": 0x1074, "CNA_DMA_CON0": 0x1078,
    "CNA_DMA_CON1": 0x107C, "CNA_DMA_CON2": 0x1080, "CNA_FC_DATA_SIZE0": 0x1084,
    "CNA_FC_DATA_SIZE1": 0x1088, "CNA_DCOMP_CTRL": 0x1100, "CNA_DCOMP_REGNUM": 0x1104,
    "CNA_DCOMP_ADDR0": 0x1110, "CNA_DCOMP_AMOUNT0": 0x1140, "CNA_DCOMP_AMOUNT15": 0x117C,
    "CNA_PAD_CON1": 0x1184,
    "CORE_MISC_CFG": 0x3010, "CORE_DATAOUT_SIZE_0": 0x3014, "CORE_DATAOUT_SIZE_1": 0x3018,
    "CORE_CLIP_TRUNCATE": 0x301C, "CORE_UNKNOWN_3030": 0x3030,
    "DPU_S_POINTER": 0x4004, "DPU_FEATURE_MODE_CFG": 0x400C, "DPU_DATA_FORMAT": 0x4010,
    "DPU_OFFSET_PEND": 0x4014, "DPU_DST_BASE_ADDR": 0x4020, "DPU_DST_SURF_STRIDE": 0x4024,
    "DPU_DATA_CUBE_WIDTH": 0x4030, "DPU_DATA_CUBE_NOTCH_ADDR": 0x4038,
    "DPU_DATA_CUBE_CHANNEL": 0x403C, "DPU_BS_CFG": 0x4040, "DPU_BS_RELUX_CMP_VALUE": 0x404C,
    "DPU_BS_OW_CFG": 0x4050, "DPU_BS_OW_OP": 0x4054, "DPU_WDMA_SIZE_0": 0x4058,
    "DPU_WDMA_SIZE_1": 0x405C, "DPU_BN_CFG": 0x4060, "DPU_BN_MUL_CFG": 0x4068,
    "DPU_EW_CFG": 0x4070, "DPU_EW_CVT_OFFSET_VALUE": 0x4074, "DPU_OUT_CVT_OFFSET": 0x4080,
    "DPU_OUT_CVT_SCALE": 0x4084, "DPU_OUT_CVT_SHIFT": 0x4088, "DPU_EW_OP_VALUE_0": 0x4090,
    "DPU_EW_OP_VALUE_7": 0x40AC, "DPU_SURFACE_ADD": 0x40C0, "DPU_LUT_ACCESS_CFG": 0x4100,
    "DPU_LUT_ACCESS_DATA": 0x4104, "DPU_LUT_CFG": 0x4108, "DPU_LUT_INFO": 0x410C,
    "DPU_LUT_LE_START": 0x4110, "DPU_LUT_LO_START": 0x4118, "DPU_LUT_LE_SLOPE_SCALE": 0x4120,
    "DPU_LUT_LO_SLOPE_SHIFT": 0x412C,
    "DPU_RDMA_DATA_CUBE_WIDTH": 0x500C, "DPU_RDMA_SRC_BASE_ADDR": 0x5018,
    "DPU_RDMA_BRDMA_CFG": 0x501C, "DPU_RDMA_BS_BASE_ADDR": 0x5020,
    "DPU_RDMA_NRDMA_CFG": 0x5028, "DPU_RDMA_BN_BASE_ADDR": 0x502C,
    "DPU_RDMA_ERDMA_CFG": 0x5034, "DPU_RDMA_EW_BASE_ADDR": 0x5038,
    "DPU_RDMA_EW_SURF_STRIDE": 0x5040, "DPU_RDMA_FEATURE_MODE_CFG": 0x5044,
    "DPU_RDMA_SRC_DMA_CFG": 0x5048, "DPU_RDMA_SURF_NOTCH": 0x504C,
    "DPU_RDMA_PAD_CFG": 0x5064, "DPU_RDMA_WEIGHT": 0x5068, "DPU_RDMA_EW_SURF_NOTCH": 0x506C,
    "PPU_DATA_CUBE_IN_WIDTH": 0x600C, "PPU_DATA_CUBE_OUT_CHANNEL": 0x6020,
    "PPU_OPERATION_MODE_CFG": 0x6024, "PPU_POOLING_KERNEL_CFG": 0x6034,
    "PPU_RECIP_KERNEL_WIDTH": 0x6038, "PPU_POOLING_PADDING_CFG": 0x6040,
    "PPU_DST_BASE_ADDR": 0x6070, "PPU_DST_SURF_STRIDE": 0x607C, "PPU_DATA_FORMAT": 0x6084,
    "PPU_MISC_CTRL": 0x60DC,
    "PPU_RDMA_SRC_BASE_ADDR": 0x701C, "PPU_RDMA_SRC_LINE_STRIDE": 0x7024,
    "PPU_RDMA_SRC_SURF_STRIDE": 0x7028, "PPU_RDMA_DATA_FORMAT": 0x7030,
    "DDMA_CFG_OUTSTANDING": 0x8000, "DDMA_CFG_STATUS": 0x8030,
    "SDMA_CFG_OUTSTANDING": 0x9000, "GLOBAL_OPERATION_ENABLE": 0xF008,
}

# (msb, lsb) of fields, from the same sections and C2, C5, C6, C7.
FIELDS = {
    "PC_BASE_ADDRESS_PC_SEL": (0, 0), "PC_REGISTER_AMOUNTS_PC_DATA_AMOUNT": (15, 0),
    "PC_TASK_CON_TASK_NUMBER": (11, 0), "PC_TASK_CON_TASK_PP_EN": (12, 12),
    "PC_TASK_CON_TASK_COUNT_CLEAR": (13, 13), "PC_INTERRUPT_MASK_INT_MASK": (16, 0),
    "CNA_S_POINTER_POINTER": (0, 0), "CNA_S_POINTER_POINTER_PP_EN": (1, 1),
    "CNA_S_POINTER_EXECUTER_PP_EN": (2, 2), "CNA_S_POINTER_POINTER_PP_MODE": (3, 3),
    "CNA_S_POINTER_POINTER_PP_CLEAR": (4, 4), "CNA_S_POINTER_EXECUTER_PP_CLEAR": (5, 5),
    "CNA_S_POINTER_EXECUTER": (16, 16),
    "CNA_CONV_CON1_CONV_MODE": (3, 0), "CNA_CONV_CON1_IN_PRECISION": (6, 4),
    "CNA_CONV_CON1_PROC_PRECISION": (9, 7), "CNA_CONV_CON1_ARGB_IN": (15, 12),
    "CNA_CONV_CON1_GROUP_LINE_OFF": (29, 29), "CNA_CONV_CON1_NONALIGN_DMA": (30, 30),
    "CNA_CONV_CON2_FEATURE_GRAINS": (13, 4), "CNA_CONV_CON3_CONV_X_STRIDE": (2, 0),
    "CNA_CONV_CON3_CONV_Y_STRIDE": (5, 3), "CNA_CONV_CON3_ATROUS_X_DILATION": (20, 16),
    "CNA_CONV_CON3_ATROUS_Y_DILATION": (25, 21), "CNA_DATA_SIZE0_DATAIN_WIDTH": (26, 16),
    "CNA_DATA_SIZE0_DATAIN_HEIGHT": (10, 0), "CNA_DATA_SIZE1_DATAIN_CHANNEL_REAL": (29, 16),
    "CNA_DATA_SIZE3_DATAOUT_ATOMICS": (21, 0),
    "CNA_WEIGHT_SIZE1_WEIGHT_BYTES_PER_KERNEL": (18, 0),
    "CNA_WEIGHT_SIZE2_WEIGHT_WIDTH": (28, 24), "CNA_WEIGHT_SIZE2_WEIGHT_KERNELS": (13, 0),
    "CNA_CBUF_CON0_DATA_BANK": (3, 0), "CNA_CBUF_CON0_WEIGHT_BANK": (7, 4),
    "CNA_CBUF_CON0_DATA_REUSE": (12, 12), "CNA_CBUF_CON0_WEIGHT_REUSE": (13, 13),
    "CNA_CBUF_CON1_DATA_ENTRIES": (12, 0), "CNA_CVT_CON0_CVT_TRUNCATE_0": (9, 4),
    "CNA_CVT_CON0_CVT_TRUNCATE_3": (27, 22), "CNA_CVT_CON0_DATA_SIGN": (3, 3),
    "CNA_DMA_CON1_LINE_STRIDE": (27, 0), "CNA_DMA_CON2_SURF_STRIDE": (27, 0),
    "CNA_PAD_CON0_PAD_LEFT": (7, 4), "CNA_PAD_CON0_PAD_TOP": (3, 0),
    "CORE_MISC_CFG_QD_EN": (0, 0), "CORE_MISC_CFG_DW_EN": (1, 1),
    "CORE_MISC_CFG_PROC_PRECISION": (10, 8), "CORE_DATAOUT_SIZE_0_DATAOUT_HEIGHT": (31, 16),
    "CORE_CLIP_TRUNCATE_CLIP_TRUNCATE": (4, 0), "CORE_CLIP_TRUNCATE_ROUND_TYPE": (6, 6),
    "DPU_FEATURE_MODE_CFG_FLYING_MODE": (0, 0), "DPU_FEATURE_MODE_CFG_OUTPUT_MODE": (2, 1),
    "DPU_FEATURE_MODE_CFG_CONV_MODE": (4, 3), "DPU_FEATURE_MODE_CFG_BURST_LEN": (8, 5),
    "DPU_DATA_FORMAT_OUT_PRECISION": (31, 29), "DPU_DATA_FORMAT_IN_PRECISION": (28, 26),
    "DPU_DATA_FORMAT_EW_TRUNCATE_NEG": (25, 16), "DPU_DATA_FORMAT_PROC_PRECISION": (2, 0),
    "DPU_DATA_CUBE_CHANNEL_ORIG_CHANNEL": (28, 16), "DPU_DATA_CUBE_WIDTH_WIDTH": (12, 0),
    "DPU_BS_CFG_BS_ALU_ALGO": (19, 16), "DPU_BS_CFG_BS_ALU_SRC": (8, 8),
    "DPU_BS_CFG_BS_RELU_BYPASS": (6, 6), "DPU_BS_CFG_BS_MUL_PRELU": (5, 5),
    "DPU_BS_MUL_CFG_BS_MUL_SHIFT_VALUE": (13, 8), "DPU_BS_OW_CFG_SIZE_E_0": (4, 2),
    "DPU_BS_OW_CFG_SIZE_E_2": (10, 8), "DPU_BS_OW_CFG_TP_ORG_EN": (27, 27),
    "DPU_EW_CFG_EW_CVT_TYPE": (31, 31), "DPU_EW_CFG_EW_DATA_MODE": (29, 28),
    "DPU_EW_CFG_EDATA_SIZE": (23, 22), "DPU_EW_CFG_EW_ALU_ALGO": (19, 16),
    "DPU_EW_CFG_EW_OP_CVT_BYPASS": (8, 8), "DPU_EW_CFG_EW_LUT_BYPASS": (7, 7),
    "DPU_EW_CFG_EW_OP_SRC": (6, 6), "DPU_EW_CFG_EW_OP_TYPE": (2, 2),
    "DPU_EW_CVT_SCALE_VALUE_EW_TRUNCATE": (31, 22),
    "DPU_EW_CVT_SCALE_VALUE_EW_OP_CVT_SHIFT": (21, 16),
    "DPU_OUT_CVT_SCALE_FP32TOFP16_EN": (16, 16), "DPU_OUT_CVT_SHIFT_OUT_CVT_SHIFT": (11, 0),
    "DPU_OUT_CVT_SHIFT_MINUS_EXP": (19, 12), "DPU_OUT_CVT_SHIFT_CVT_ROUND": (30, 30),
    "DPU_SURFACE_ADD_SURF_ADD": (31, 4), "DPU_LUT_ACCESS_CFG_LUT_ADDR": (9, 0),
    "DPU_LUT_LE_SLOPE_SHIFT_LUT_LE_SLOPE_OFLOW_SHIFT": (9, 5),
    "DPU_RDMA_BRDMA_CFG_BRDMA_DATA_USE": (4, 1), "DPU_RDMA_ERDMA_CFG_ERDMA_DATA_MODE": (31, 30),
    "DPU_RDMA_ERDMA_CFG_ERDMA_DISABLE": (0, 0), "DPU_RDMA_FEATURE_MODE_CFG_IN_PRECISION": (17, 15),
    "DPU_RDMA_FEATURE_MODE_CFG_COMB_USE": (10, 8),
    "DPU_RDMA_FEATURE_MODE_CFG_MRDMA_DISABLE": (4, 4),
    "DPU_RDMA_FEATURE_MODE_CFG_MRDMA_FP16TOFP32_EN": (3, 3),
    "PPU_OPERATION_MODE_CFG_POOLING_METHOD": (1, 0), "PPU_OPERATION_MODE_CFG_FLYING_MODE": (4, 4),
    "PPU_OPERATION_MODE_CFG_INDEX_EN": (30, 30),
    "PPU_POOLING_KERNEL_CFG_KERNEL_STRIDE_HEIGHT": (23, 20),
    "PPU_POOLING_PADDING_CFG_PAD_BOTTOM": (14, 12),
    "PPU_RECIP_KERNEL_WIDTH_RECIP_KERNEL_WIDTH": (16, 0),
}

# Sections A2, B1 and B7.
CONSTANTS = {
    "TARGET_NOP": 0, "TARGET_NOP1": 1, "TARGET_SYNC": 0x41, "TARGET_OP_ENABLE": 0x81,
    "TARGET_PC": 0x101, "TARGET_CNA": 0x201, "TARGET_CORE": 0x801, "TARGET_DPU": 0x1001,
    "TARGET_DPU_RDMA": 0x2001, "TARGET_PPU": 0x4001, "TARGET_PPU_RDMA": 0x8001,
    "ENABLE_CNA": 1, "ENABLE_CORE": 4, "ENABLE_DPU": 8, "ENABLE_DPU_RDMA": 16,
    "ENABLE_PPU": 32, "ENABLE_PPU_RDMA": 64,
    "INT_CNA_FEATURE_0": 1, "INT_CNA_WEIGHT_1": 8, "INT_CNA_CSC_0": 16, "INT_CORE_1": 0x80,
    "INT_DPU_0": 0x100, "INT_DPU_1": 0x200, "INT_PPU_0": 0x400, "INT_PPU_1": 0x800,
    "INT_DMA_READ_ERROR": 0x1000, "INT_DMA_WRITE_ERROR": 0x2000,
    "PRECISION_INT8": 0, "PRECISION_INT16": 1, "PRECISION_FP16": 2, "PRECISION_BF16": 3,
    "PRECISION_INT32": 4, "PRECISION_FP32": 5, "PRECISION_INT4": 6, "PRECISION_TF32": 7,
}


def read_header(path):
    """The #defines of the generated header as numbers, without NPU_."""
    values = {}
    pattern = re.compile(r"#define NPU_(\w+)\s+(0x[0-9a-f]+|\d+)u?$")
    for line in path.read_text(encoding="utf-8").splitlines():
        match = pattern.match(line)
        if match:
            values[match[1]] = int(match[2], 0)
    return values


def generate(directory, *arguments):
    return subprocess.run([sys.executable, str(directory / "gen.py"), *arguments],
                          capture_output=True, text=True, check=False)


def copy_of_database(parent):
    copy = pathlib.Path(parent) / "registers"
    shutil.copytree(REGISTERS, copy, ignore=shutil.ignore_patterns("tests"))
    return copy


def edit(copy, name, old, new):
    path = copy / name
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= 1, old
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def differences(want, got):
    return [f"{name}: want {value:#x}, got {got.get(name, 'nothing')}"
            for name, value in want.items() if got.get(name) != value]


def check_offsets():
    return differences(OFFSETS, read_header(REGISTERS / GENERATED[0]))


def check_fields():
    want = {name: (1 << (msb + 1)) - (1 << lsb) for name, (msb, lsb) in FIELDS.items()}
    return differences(want, read_header(REGISTERS / GENERATED[0]))


def check_constants():
    return differences(CONSTANTS, read_header(REGISTERS / GENERATED[0]))


def check_fresh():
    run = generate(REGISTERS, "--check")
    return [] if run.returncode == 0 else [run.stderr.strip()]


def check_deterministic():
    with tempfile.TemporaryDirectory() as parent:
        copy = copy_of_database(parent)
        for name in GENERATED:
            (copy / name).unlink()
        generate(copy)
        return [f"{name} differs" for name in GENERATED
                if (copy / name).read_bytes() != (REGISTERS / name).read_bytes()]


def check_stale_is_noticed():
    problems = []
    for name in GENERATED:
        with tempfile.TemporaryDirectory() as parent:
            copy = copy_of_database(parent)
            with open(copy / name, "a", encoding="utf-8") as f:
                f.write("\n")
            run = generate(copy, "--check")
            if run.returncode != 1 or name not in run.stderr:
                problems.append(f"{name}: exit {run.returncode}, {run.stderr!r}")
    return problems


def check_bad_rows_are_refused():
    edits = {
        "overlaps": ("CONV_CON1\tIN_PRECISION\t6\t4", "CONV_CON1\tIN_PRECISION\t7\t4"),
        "offsets ascend": ("CNA\t0x1010\tCONV_CON2\t-", "CNA\t0x100c\tCONV_CON2\t-"),
        "PAD_CON1": ("CNA\t0x1184\tPAD_CON1\t-", "CNA\t0x2184\tPAD_CON1\t-"),
        "defined twice": ("CONV_CON3\tCONV_Y_STRIDE", "CONV_CON3\tCONV_X_STRIDE"),
        "16=depthwise": ("0=direct|3=depthwise", "0=direct|16=depthwise"),
        "has to be noted": ("0x0\t1\tnoted\tread", "0x0\t1\tyes\tread"),
        "highest bit first": ("CONV_CON3\tCONV_Y_STRIDE\t5\t3", "CONV_CON3\tCONV_Y_STRIDE\t31\t31"),
    }
    problems = []
    for reason, (old, new) in edits.items():
        with tempfile.TemporaryDirectory() as parent:
            copy = copy_of_database(parent)
            edit(copy, "registers.tsv", old, new)
            run = generate(copy)
            if run.returncode == 0 or reason not in run.stderr:
                problems.append(f"{new!r}: exit {run.returncode}, want {reason!r}: {run.stderr}")
    return problems


CLAIMS = {
    "offsets are those of the programming model": check_offsets,
    "fields have the bits of the programming model": check_fields,
    "targets, enable bits, interrupts and precisions have their values": check_constants,
    "committed files are what the database gives": check_fresh,
    "generating again gives the same bytes": check_deterministic,
    "a stale file fails the check": check_stale_is_noticed,
    "bad rows are refused": check_bad_rows_are_refused,
}


def main():
    failed = 0
    print(f"TAP version 13\n1..{len(CLAIMS)}")
    for number, (claim, check) in enumerate(CLAIMS.items(), 1):
        problems = check()
        for problem in problems:
            print(f"# {problem}")
        print(f"{'not ok' if problems else 'ok'} {number} - {claim}", flush=True)
        failed |= bool(problems)
    return failed


if __name__ == "__main__":
    sys.exit(main())
