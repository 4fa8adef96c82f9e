# SPDX-License-Identifier: MIT
"""Quantised TFLite networks with random weights, written layer by layer.

The slots and numbers are those of version 3 of TFLite's schema. Tensors are NHWC. Biases
and scales are chosen so that random weights spread the results over the range of a byte
and clip some, as training and calibration do.
"""
import collections
import math
import random
import struct

from flatbuffer import Bytes, String, Table, Vector, serialize

VERSION = 3
INT32, UINT8, INT8 = 2, 3, 9            # TensorType
ADD, AVERAGE_POOL, CONV, DEPTHWISE, RESHAPE, SOFTMAX = 0, 1, 3, 4, 22, 25   # BuiltinOperator
SAME, VALID = 0, 1                      # Padding
NONE, RELU, RELU6 = 0, 1, 3             # ActivationFunctionType
# version of the operator that first took int8, and the type of its options in the schema's union
VERSION_INT8 = {ADD: 2, AVERAGE_POOL: 2, CONV: 3, DEPTHWISE: 3, RESHAPE: 1, SOFTMAX: 2}
OPTIONS = {ADD: 11, AVERAGE_POOL: 5, CONV: 1, DEPTHWISE: 2, RESHAPE: 17, SOFTMAX: 9}
INPUT_SCALE = 1 / 64

# mean and rms are those of the values less the zero point
Tensor = collections.namedtuple("Tensor", "index shape scale zero mean rms")


def window(size, kernel, stride, padding):
    """How many outputs a kernel has along one side."""
    return -(-size // stride) if padding == SAME else (size - kernel) // stride + 1


class Network:
    """A network under construction; layers take and return Tensors."""

    def __init__(self, name, kind, seed=1, per_channel=False):
        self.name = name
        self.kind = kind
        self.per_channel = per_channel
        self.random = random.Random(seed)
        self.tensors = []
        self.buffers = [Table()]        # the first stands for "no data"
        self.operators = []
        self.codes = []
        self.inputs = []

    # --- tensors ---

    def _tensor(self, shape, kind, scales=None, zero=0, data=None):
        index = len(self.tensors)
        buffer = 0
        if data is not None:
            buffer = len(self.buffers)
            self.buffers.append(Table((0, "O", Bytes(data))))
        quantization = None
        if scales:
            zeros = Vector("q", [zero] * len(scales))
            along = 0 if len(scales) == 1 else self._channel_axis(shape)
            quantization = Table((2, "O", Vector("f", scales)), (3, "O", zeros), (6, "i", along))
        self.tensors.append(Table((0, "O", Vector("i", shape)), (1, "b", kind), (2, "I", buffer),
                                  (3, "O", String(f"t{index}")), (4, "O", quantization)))
        return Tensor(index, tuple(shape), scales[0] if scales else 0, zero,
                      *self._uniform(zero))

    @staticmethod
    def _channel_axis(shape):
        return 3 if len(shape) == 4 and shape[0] == 1 else 0

    def _uniform(self, zero):
        """Mean and root mean square of equally likely bytes, less `zero`."""
        mean = (127.5 if self.kind == UINT8 else -0.5) - zero
        return mean, math.hypot(256 / math.sqrt(12), mean)

    def _middle(self):
        """The zero point of values of either sign."""
        return 128 if self.kind == UINT8 else 0

    def _least(self):
        return 0 if self.kind == UINT8 else -128

    def input(self, height, width, channels, zero=None):
        zero = self._middle() if zero is None else zero
        tensor = self._tensor((1, height, width, channels), self.kind, [INPUT_SCALE], zero)
        self.inputs.append(tensor.index)
        return tensor

    def _weights(self, shape, channels):
        """Random weights, and the scale of each output channel or of all."""
        data = self.random.randbytes(math.prod(shape))
        if self.kind == INT8:
            data = data.replace(b"\x80", b"\x81")       # TFLite's int8 weights are symmetric
        scales = [1 / 512]
        if self.per_channel:
            scales = [2 ** -self.random.uniform(8, 10) for _ in range(channels)]
        zero = 0 if self.kind == INT8 else self.random.randint(100, 156)
        return self._tensor(shape, self.kind, scales, zero, data), scales

    def _bias(self, middle, spread, scales, channels):
        values = [round(middle + self.random.uniform(-spread, spread)) for _ in range(channels)]
        return self._tensor([channels], INT32, scales, 0, struct.pack(f"<{channels}i", *values))

    # --- layers ---

    def _operator(self, code, inputs, output, options):
        key = (code, VERSION_INT8[code] if self.kind == INT8 else 1)
        if key not in self.codes:
            self.codes.append(key)
        self.operators.append(Table((0, "I", self.codes.index(key)),
                                    (1, "O", Vector("i", [t.index for t in inputs])),
                                    (2, "O", Vector("i", [output.index])),
                                    (3, "B", OPTIONS[code]), (4, "O", options)))
        return output

    def _result(self, shape, scale, activation, zero):
        """An output; after a ReLU its zero point is the least value, as converters have it."""
        if zero is None:
            zero = self._middle() if activation == NONE else self._least()
        return self._tensor(shape, self.kind, [scale], zero)

    def _products(self, x, code, shape, out, taps, options, activation, zero, deviation=None):
        """A layer of sums of `taps` products each.

        deviation: how far results spread, in steps of the output's scale. Without one, two
        deviations reach the end of the range.
        """
        weights, scales = self._weights(shape, out[-1])
        middle = taps * x.mean * weights.mean
        spread = math.sqrt(taps * ((x.rms * weights.rms) ** 2 - (x.mean * weights.mean) ** 2))
        bias = self._bias(-middle, spread, [x.scale * scale for scale in scales], out[-1])
        deviation = deviation or (64 if activation == NONE else 128)
        wide = x.scale * max(scales) * spread / deviation
        result = self._result(out, wide, activation, zero)
        if activation == NONE:
            result = result._replace(mean=0, rms=deviation)
        else:                   # half of a bell
            result = result._replace(mean=deviation / math.sqrt(2 * math.pi),
                                     rms=deviation / math.sqrt(2))
        return self._operator(code, [x, weights, bias], result, options)

    def conv(self, x, channels, kernel, stride=1, padding=SAME, activation=RELU, zero=None,
             deviation=None):
        _, height, width, depth = x.shape
        out = (1, window(height, kernel, stride, padding), window(width, kernel, stride, padding),
               channels)
        options = Table((0, "b", padding), (1, "i", stride), (2, "i", stride),
                        (3, "b", activation), (4, "i", 1), (5, "i", 1))
        return self._products(x, CONV, (channels, kernel, kernel, depth), out,
                              kernel * kernel * depth, options, activation, zero, deviation)

    def depthwise(self, x, kernel=3, stride=1, padding=SAME, activation=RELU, zero=None):
        _, height, width, depth = x.shape
        out = (1, window(height, kernel, stride, padding), window(width, kernel, stride, padding),
               depth)
        options = Table((0, "b", padding), (1, "i", stride), (2, "i", stride), (3, "i", 1),
                        (4, "b", activation), (5, "i", 1), (6, "i", 1))
        return self._products(x, DEPTHWISE, (1, kernel, kernel, depth), out, kernel * kernel,
                              options, activation, zero)

    def add(self, a, b):
        # a scale no finer than those of the operands, whose rounding would show
        rms = math.hypot(a.scale * a.rms, b.scale * b.rms)
        out = self._result(a.shape, rms / 32, NONE, None)
        return self._operator(ADD, [a, b], out._replace(mean=0, rms=32), Table((0, "b", NONE)))

    def average_pool(self, x, kernel):
        _, height, width, depth = x.shape
        out = self._tensor((1, window(height, kernel, 1, VALID), window(width, kernel, 1, VALID),
                            depth), self.kind, [x.scale], x.zero)
        options = Table((0, "b", VALID), (1, "i", 1), (2, "i", 1), (3, "i", kernel),
                        (4, "i", kernel), (5, "b", NONE))
        return self._operator(AVERAGE_POOL, [x], out._replace(mean=x.mean, rms=x.rms), options)

    def reshape(self, x, shape):
        out = self._tensor(shape, self.kind, [x.scale], x.zero)._replace(mean=x.mean, rms=x.rms)
        # as converters write it: Teflon dies of a reshape without its second input
        wanted = self._tensor([len(shape)], INT32, data=struct.pack(f"<{len(shape)}i", *shape))
        return self._operator(RESHAPE, [x, wanted], out, Table((0, "O", Vector("i", shape))))

    def softmax(self, x):
        # the scale and zero point that TFLite's kernel insists on
        out = self._tensor(x.shape, self.kind, [1 / 256], self._least())
        return self._operator(SOFTMAX, [x], out, Table((0, "f", 1.0)))

    # --- the file ---

    def serialize(self, *outputs):
        """The .tflite file with these Tensors as its outputs."""
        codes = [Table((0, "b", code), (2, "i", version), (3, "i", code))
                 for code, version in self.codes]
        graph = Table((0, "O", Vector("O", self.tensors)), (1, "O", Vector("i", self.inputs)),
                      (2, "O", Vector("i", [t.index for t in outputs])),
                      (3, "O", Vector("O", self.operators)), (4, "O", String(self.name)))
        model = Table((0, "I", VERSION), (1, "O", Vector("O", codes)),
                      (2, "O", Vector("O", [graph])), (3, "O", String(self.name)),
                      (4, "O", Vector("O", self.buffers)))
        return serialize(model, b"TFL3")
