// SPDX-License-Identifier: MIT
/*
 * fp16.h over every fp16 and bf16 pattern and on both sides of every rounding
 * boundary, against ldexp() and arithmetic in double, which hold each of the
 * values exactly.
 */
#include <math.h>

#include "fp16.h"
#include "tap.h"

static double fp16_value(uint16_t h)
{
	int exponent = h >> 10 & 31;
	double mantissa = h & 0x3ff;
	double sign = h & 0x8000 ? -1.0 : 1.0;

	if (exponent == 31)
		return mantissa ? NAN : sign * INFINITY;
	if (!exponent)
		return sign * ldexp(mantissa, -24);
	return sign * ldexp(1024 + mantissa, exponent - 25);
}

TEST(fp16_widens_every_pattern_exactly)
{
	for (uint32_t h = 0; h < 0x10000; h++) {
		double want = fp16_value(h);
		float got = fp16_to_fp32(h);

		if (isnan(want) ? !isnan(got) : want != (double)got ||
						!signbit(want) != !signbit(got))
			TAP_FAIL("%04x: want %a, got %a", h, want, (double)got);
	}
}

TEST(fp16_round_trip_is_the_identity_but_for_signalling_nan)
{
	for (uint32_t h = 0; h < 0x10000; h++) {
		uint16_t got = fp32_to_fp16(fp16_to_fp32(h));
		uint16_t want = isnan(fp16_value(h)) ? h | 0x200 : h;

		if (want != got)
			TAP_FAIL("%04x came back as %04x", h, got);
	}
}

/* The neighbours of a value between two fp16 numbers tell how it was rounded. */
static void check_narrow(float f, uint16_t want)
{
	uint16_t got = fp32_to_fp16(f);

	if (want != got)
		TAP_FAIL("%a: want %04x, got %04x", (double)f, want, got);
	got = fp32_to_fp16(-f);
	if ((want ^ 0x8000) != got)
		TAP_FAIL("%a: want %04x, got %04x", (double)-f, want ^ 0x8000, got);
}

TEST(fp16_narrows_to_nearest_even_at_every_boundary)
{
	for (uint32_t h = 0; h < 0x7bff; h++) {
		float tie = (fp16_value(h) + fp16_value(h + 1)) / 2;

		check_narrow(nextafterf(tie, 0), h);
		check_narrow(tie, h + (h & 1));
		check_narrow(nextafterf(tie, INFINITY), h + 1);
	}
}

TEST(fp16_overflows_to_infinity_from_65520)
{
	check_narrow(nextafterf(65520, 0), 0x7bff);
	check_narrow(65520, 0x7c00);
	check_narrow(0x1p127f, 0x7c00);
	check_narrow(INFINITY, 0x7c00);
	check_narrow(0x1p-149f, 0);
}

TEST(fp16_nan_stays_nan)
{
	for (uint32_t m = 1; m < 0x800000; m += 0x3ff)
		if (!isnan(fp16_value(fp32_to_fp16(fp32_from_bits(0x7f800000 | m)))))
			TAP_FAIL("payload %06x was lost", m);
}

TEST(bf16_narrows_to_nearest_even_at_every_boundary)
{
	for (uint32_t h = 0; h < 0x7f80; h++) {
		uint32_t tie = h << 16 | 0x8000;

		if (fp32_bits(bf16_to_fp32(h)) != h << 16)
			TAP_FAIL("%04x does not widen", h);
		if (fp32_to_bf16(fp32_from_bits(tie - 1)) != h)
			TAP_FAIL("below %04x.8", h);
		if (fp32_to_bf16(fp32_from_bits(tie)) != h + (h & 1))
			TAP_FAIL("tie %04x.8", h);
		if (fp32_to_bf16(fp32_from_bits(0x80000000 | (tie + 1))) != (0x8000 | (h + 1)))
			TAP_FAIL("above %04x.8", h);
	}
}

TEST(bf16_nan_stays_nan)
{
	for (uint32_t m = 1; m < 0x800000; m += 0x3ff)
		if (!isnan(bf16_to_fp32(fp32_to_bf16(fp32_from_bits(0x7f800000 | m)))))
			TAP_FAIL("payload %06x was lost", m);
}

TEST_MAIN()
