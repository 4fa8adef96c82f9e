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
INT32, UINT8 = 2, 3                     # TensorType
ADD, AVERAGE_POOL, CONV, DEPTHWISE, RESHAPE, SOFTMAX = 0, 1, 3, 4, 22, 25   # BuiltinOperator
SAME, VALID = 0, 1                      # Padding
NONE, RELU = 0, 1                       # ActivationFunctionType
# the type of an operator's options in the schema's union
OPTIONS = {ADD: 11, AVERAGE_POOL: 5, CONV: 1, DEPTHWISE: 2, RESHAPE: 17, SOFTMAX: 9}
INPUT_SCALE = 1 / 64
WEIGHT_SCALE = 1 / 512
MIDDLE = 128            # the zero point of values of either sign

# mean and rms are those of the values less the zero point
Tensor = collections.namedtuple("Tensor", "index shape scale zero mean rms")


def window(size, kernel, stride, padding):
    """How many outputs a kernel has along one side."""
    return -(-size // stride) if padding == SAME else (size - kernel) // stride + 1


class Network:
    """A network under construction; layers take and return Tensors."""

    def __init__(self, name, seed=1):
        self.name = name
        self.random = random.Random(seed)
        self.tensors = []
        self.buffers = [Table()]        # the first stands for "no data"
        self.operators = []
        self.codes = []
        self.inputs = []

    # --- tensors ---

    def _tensor(self, shape, scale=None, zero=0, data=None, kind=UINT8):
        index = len(self.tensors)
        buffer = 0
        if data is not None:
            buffer = len(self.buffers)
            self.buffers.append(Table((0, "O", Bytes(data))))
        quantization = None
        if scale:
            quantization = Table((2, "O", Vector("f", [scale])), (3, "O", Vector("q", [zero])))
        self.tensors.append(Table((0, "O", Vector("i", shape)), (1, "b", kind), (2, "I", buffer),
                                  (3, "O", String(f"t{index}")), (4, "O", quantization)))
        # those of equally likely bytes, until a layer knows better
        mean = 127.5 - zero
        return Tensor(index, tuple(shape), scale, zero, mean,
                      math.hypot(256 / math.sqrt(12), mean))

    def input(self, height, width, channels, zero=MIDDLE):
        tensor = self._tensor((1, height, width, channels), INPUT_SCALE, zero)
        self.inputs.append(tensor.index)
        return tensor

    def _weights(self, shape):
        data = self.random.randbytes(math.prod(shape))
        return self._tensor(shape, WEIGHT_SCALE, self.random.randint(100, 156), data)

    def _bias(self, middle, spread, scale, channels):
        values = [round(middle + self.random.uniform(-spread, spread)) for _ in range(channels)]
        return self._tensor([channels], scale, 0, struct.pack(f"<{channels}i", *values), INT32)

    # --- layers ---

    def _operator(self, code, inputs, output, options):
        if code not in self.codes:
            self.codes.append(code)
        self.operators.append(Table((0, "I", self.codes.index(code)),
                                    (1, "O", Vector("i", [t.index for t in inputs])),
                                    (2, "O", Vector("i", [output.index])),
                                    (3, "B", OPTIONS[code]), (4, "O", options)))
        return output

    def _products(self, x, code, shape, out, taps, options, activation, deviation=None):
        """A layer of sums of `taps` products each.

        deviation: how far results spread, in steps of the output's scale. Without one, two
        deviations reach the end of the range.
        """
        weights = self._weights(shape)
        middle = taps * x.mean * weights.mean
        spread = math.sqrt(taps * ((x.rms * weights.rms) ** 2 - (x.mean * weights.mean) ** 2))
        scale = x.scale * WEIGHT_SCALE
        bias = self._bias(-middle, spread, scale, out[-1])
        deviation = deviation or (64 if activation == NONE else 128)
        if activation == NONE:
            result = self._tensor(out, scale * spread / deviation, MIDDLE)
            result = result._replace(mean=0, rms=deviation)
        else:                   # half of a bell; its zero is the least value, as converters have it
            result = self._tensor(out, scale * spread / deviation, 0)
            result = result._replace(mean=deviation / math.sqrt(2 * math.pi),
                                     rms=deviation / math.sqrt(2))
        return self._operator(code, [x, weights, bias], result, options)

    def conv(self, x, channels, kernel, stride=1, padding=SAME, activation=RELU, deviation=None):
        _, height, width, depth = x.shape
        out = (1, window(height, kernel, stride, padding), window(width, kernel, stride, padding),
               channels)
        options = Table((0, "b", padding), (1, "i", stride), (2, "i", stride),
                        (3, "b", activation), (4, "i", 1), (5, "i", 1))
        return self._products(x, CONV, (channels, kernel, kernel, depth), out,
                              kernel * kernel * depth, options, activation, deviation)

    def depthwise(self, x, kernel=3, stride=1, padding=SAME, activation=RELU):
        _, height, width, depth = x.shape
        out = (1, window(height, kernel, stride, padding), window(width, kernel, stride, padding),
               depth)
        options = Table((0, "b", padding), (1, "i", stride), (2, "i", stride), (3, "i", 1),
                        (4, "b", activation), (5, "i", 1), (6, "i", 1))
        return self._products(x, DEPTHWISE, (1, kernel, kernel, depth), out, kernel * kernel,
                              options, activation)

    def add(self, a, b):
        # a scale no finer than those of the operands, whose rounding would show
        rms = math.hypot(a.scale * a.rms, b.scale * b.rms)
        out = self._tensor(a.shape, rms / 32, MIDDLE)
        return self._operator(ADD, [a, b], out._replace(mean=0, rms=32), Table((0, "b", NONE)))

    def average_pool(self, x, kernel):
        _, height, width, depth = x.shape
        out = self._tensor((1, window(height, kernel, 1, VALID), window(width, kernel, 1, VALID),
                            depth), x.scale, x.zero)
        options = Table((0, "b", VALID), (1, "i", 1), (2, "i", 1), (3, "i", kernel),
                        (4, "i", kernel), (5, "b", NONE))
        return self._operator(AVERAGE_POOL, [x], out._replace(mean=x.mean, rms=x.rms), options)

    def reshape(self, x, shape):
        out = self._tensor(shape, x.scale, x.zero)._replace(mean=x.mean, rms=x.rms)
        # as converters write it: Teflon dies of a reshape without its second input
        wanted = self._tensor([len(shape)], data=struct.pack(f"<{len(shape)}i", *shape), kind=INT32)
        return self._operator(RESHAPE, [x, wanted], out, Table((0, "O", Vector("i", shape))))

    def softmax(self, x):
        # the scale and zero point that TFLite's kernel insists on
        out = self._tensor(x.shape, 1 / 256)
        return self._operator(SOFTMAX, [x], out, Table((0, "f", 1.0)))

    # --- the file ---

    def serialize(self, *outputs):
        """The .tflite file with these Tensors as its outputs."""
        codes = [Table((0, "b", code), (2, "i", 1), (3, "i", code)) for code in self.codes]
        graph = Table((0, "O", Vector("O", self.tensors)), (1, "O", Vector("i", self.inputs)),
                      (2, "O", Vector("i", [t.index for t in outputs])),
                      (3, "O", Vector("O", self.operators)), (4, "O", String(self.name)))
        model = Table((0, "I", VERSION), (1, "O", Vector("O", codes)),
                      (2, "O", Vector("O", [graph])), (3, "O", String(self.name)),
                      (4, "O", Vector("O", self.buffers)))
        return serialize(model, b"TFL3")
