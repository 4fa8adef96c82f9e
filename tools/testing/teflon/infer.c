// SPDX-License-Identifier: MIT
#include "infer.h"

#include <stdlib.h>

#include <tensorflow/lite/c/c_api.h>
#include <tensorflow/lite/delegates/external/external_delegate.h>

struct infer {
	TfLiteModel *model;
	TfLiteDelegate *delegate;
	TfLiteInterpreter *interpreter;
};

static TfLiteDelegate *open_delegate(const char *path)
{
	TfLiteExternalDelegateOptions options = TfLiteExternalDelegateOptionsDefault(path);

	return TfLiteExternalDelegateCreate(&options);
}

static TfLiteInterpreter *open_interpreter(struct infer *infer)
{
	TfLiteInterpreterOptions *options = TfLiteInterpreterOptionsCreate();
	TfLiteInterpreter *interpreter;

	TfLiteInterpreterOptionsSetNumThreads(options, 1);
	if (infer->delegate)
		TfLiteInterpreterOptionsAddDelegate(options, infer->delegate);
	interpreter = TfLiteInterpreterCreate(infer->model, options);
	TfLiteInterpreterOptionsDelete(options);
	return interpreter;
}

struct infer *infer_open(const char *path, const char *delegate)
{
	struct infer *infer = calloc(1, sizeof(*infer));

	if (!infer)
		return NULL;
	infer->model = TfLiteModelCreateFromFile(path);
	if (!infer->model)
		goto err;
	if (delegate) {
		infer->delegate = open_delegate(delegate);
		if (!infer->delegate)
			goto err;
	}
	infer->interpreter = open_interpreter(infer);
	if (!infer->interpreter ||
	    TfLiteInterpreterAllocateTensors(infer->interpreter) != kTfLiteOk)
		goto err;
	return infer;
err:
	infer_close(infer);
	return NULL;
}

void infer_close(struct infer *infer)
{
	if (infer->interpreter)
		TfLiteInterpreterDelete(infer->interpreter);
	if (infer->delegate)
		TfLiteExternalDelegateDelete(infer->delegate);
	if (infer->model)
		TfLiteModelDelete(infer->model);
	free(infer);
}

/* Knuth's linear congruential generator; its high bits are the good ones. */
static uint8_t next_byte(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint8_t)(*state >> 56);
}

void infer_fill(struct infer *infer, uint64_t seed)
{
	int count = TfLiteInterpreterGetInputTensorCount(infer->interpreter);

	for (int i = 0; i < count; i++) {
		TfLiteTensor *tensor = TfLiteInterpreterGetInputTensor(infer->interpreter, i);
		uint8_t *data = TfLiteTensorData(tensor);

		for (size_t k = 0; k < TfLiteTensorByteSize(tensor); k++)
			data[k] = next_byte(&seed);
	}
}

int infer_run(struct infer *infer)
{
	return TfLiteInterpreterInvoke(infer->interpreter) == kTfLiteOk ? 0 : -1;
}

int infer_n_outputs(const struct infer *infer)
{
	return TfLiteInterpreterGetOutputTensorCount(infer->interpreter);
}

const void *infer_output(const struct infer *infer, int i, size_t *size)
{
	const TfLiteTensor *tensor = TfLiteInterpreterGetOutputTensor(infer->interpreter, i);

	*size = TfLiteTensorByteSize(tensor);
	return TfLiteTensorData(tensor);
}

int infer_is_signed(const struct infer *infer, int i)
{
	const TfLiteTensor *tensor = TfLiteInterpreterGetOutputTensor(infer->interpreter, i);

	return TfLiteTensorType(tensor) == kTfLiteInt8;
}
