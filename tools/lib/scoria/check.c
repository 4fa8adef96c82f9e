// SPDX-License-Identifier: MIT
#include "check.h"

#include "error.h"

int check_pointers(const char *what, const struct pointer *pointers, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (!pointers[i].value)
			return error_set(EINVAL, "%s: %s is NULL", what, pointers[i].name);
	return 0;
}

int check_zero_point(const char *what, const char *name, enum scoria_type type, int32_t value)
{
	int32_t low = type == SCORIA_INT8 ? INT8_MIN : 0;
	int32_t high = type == SCORIA_INT8 ? INT8_MAX : type == SCORIA_UINT8 ? UINT8_MAX : 0;

	if (value < low || value > high)
		return error_set(EINVAL, "%s: %s = %d: a tensor of %s has zero points from %d to %d",
				 what, name, value, scoria_type_name(type), low, high);
	return 0;
}

int check_matrix(const char *what, size_t rows, size_t columns)
{
	if (!rows || !columns)
		return error_set(EINVAL, "%s: rows = %zu, columns = %zu: none may be 0", what, rows,
				 columns);
	if (rows > INT32_MAX || columns > INT32_MAX)
		return error_set(ENOSPC, "%s: rows = %zu, columns = %zu: 2^31 and more do not fit the NPU's 4 GiB",
				 what, rows, columns);
	return 0;
}

int check_stride(const char *what, const char *name, size_t *stride, size_t rows,
		 size_t columns, enum scoria_type type)
{
	size_t bytes;

	if (!*stride)
		*stride = columns;
	if (*stride < columns)
		return error_set(EINVAL, "%s: %s = %zu is shorter than a row of %zu", what, name,
				 *stride, columns);
	if (__builtin_mul_overflow(*stride, rows, &bytes) ||
	    __builtin_mul_overflow(bytes, scoria_type_size(type), &bytes) || bytes > PTRDIFF_MAX)
		return error_set(EINVAL, "%s: %s = %zu: %zu such rows overflow the address space",
				 what, name, *stride, rows);
	return 0;
}
