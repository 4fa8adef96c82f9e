# SPDX-License-Identifier: MIT
"""The networks that the board runs through Teflon, the same bytes every time.

Mesa 26.2 sends convolutions of unsigned, per-tensor quantised square maps to the NPU, and
sums with what came before, and gets right what is here. What it gets wrong by itself is in
Documentation/accel/scoria/userspace.rst.
"""
from tflite import NONE, SAME, VALID, Network

PADDING = {"same": SAME, "valid": VALID}
# output channels at full width, and stride, of MobileNet v1's thirteen blocks
BLOCKS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1),
          (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1))


def single():
    """One layer each, by name: the function that adds it to a Network."""
    found = {}
    for kernel in (1, 3, 5):
        for stride in (1, 2):
            for name, padding in PADDING.items():
                args = (kernel, stride, padding)
                found[f"conv{kernel}-stride{stride}-{name}"] = \
                    lambda n, a=args: n.conv(n.input(15, 15, 32), 48, *a)
                if kernel > 1:
                    found[f"depthwise{kernel}-stride{stride}-{name}"] = \
                        lambda n, a=args: n.depthwise(n.input(15, 15, 64), *a)
    for c in (1, 2, 3, 4, 8, 16, 32, 33, 40, 48, 64, 96, 128, 160, 256):
        found[f"conv-from{c}"] = lambda n, c=c: n.conv(n.input(9, 9, c), 32, 3)
    for c in (1, 2, 3, 8, 16, 20, 31, 32, 33, 40, 64, 96, 100, 128, 256):
        found[f"conv-to{c}"] = lambda n, c=c: n.conv(n.input(9, 9, 32), c, 3)
    for c in (8, 16, 32, 48, 64, 96, 128, 160, 256):
        found[f"depthwise-of{c}"] = lambda n, c=c: n.depthwise(n.input(9, 9, c))
    for size in (1, 2, 3, 4, 5, 7, 8, 12, 20, 28, 56, 112):
        found[f"conv-size{size}"] = lambda n, s=size: n.conv(n.input(s, s, 16), 16, 3)
    for size in (1, 2, 3, 4, 7, 8, 28, 56):
        found[f"pointwise-size{size}"] = lambda n, s=size: n.conv(n.input(s, s, 64), 64, 1)
    found["photograph"] = lambda n: n.conv(n.input(224, 224, 3), 32, 3, 2)
    found["photograph-gray"] = lambda n: n.conv(n.input(96, 96, 1), 8, 3, 2)
    found["pointwise-512"] = lambda n: n.conv(n.input(14, 14, 512), 512, 1)
    return found | residuals() | of_mobilenet()


def residual(network, size, channels):
    """A sum of a map and a convolution of it, which Mesa makes one task.

    TFLite rounds and clips the convolution before it adds, the NPU does not: its results
    spread too little to be clipped.
    """
    x = network.conv(network.input(size, size, channels), channels, 1)
    y = network.conv(x, channels, 1, activation=NONE, deviation=20)
    # Mesa joins the sum with the convolution of its first input
    return network.add(y, x)


def residuals():
    """Networks with a sum. Mesa's tasks for maps 8 wide are wrong, so there is none."""
    return {f"residual{channels}-size{size}": lambda n, a=(size, channels): residual(n, *a)
            for size, channels in ((2, 32), (4, 32), (5, 32), (7, 32), (14, 16), (14, 32), (14, 48),
                                   (14, 96), (28, 32), (56, 32))}


def of_mobilenet():
    """The blocks of MobileNet v1 one by one, for maps of 224 x 224."""
    found = {}
    size, depth = 112, 32
    for channels, stride in BLOCKS:
        found[f"mobilenet-depthwise{depth}-size{size}-stride{stride}"] = \
            lambda n, a=(size, size, depth), s=stride: n.depthwise(n.input(*a, zero=0), 3, s)
        size //= stride
        found[f"mobilenet-pointwise{depth}-to{channels}-size{size}"] = \
            lambda n, a=(size, size, depth), c=channels: n.conv(n.input(*a, zero=0), c, 1)
        depth = channels
    return found


def inverted(network, x, channels, stride=1):
    """A block of MobileNet v2: expand, depthwise, project; a sum where the shape stays."""
    y = network.conv(x, 6 * x.shape[3], 1)
    y = network.conv(network.depthwise(y, 3, stride), channels, 1, activation=NONE, deviation=20)
    return network.add(y, x) if y.shape == x.shape else y


def mobilenet_v2(network):
    """The middle of a MobileNet v2: sums of sums, and blocks without one."""
    x = network.conv(network.input(56, 56, 3), 32, 3, 2)
    found = []
    for channels, stride in ((16, 1), (32, 2), (32, 1), (32, 1), (64, 1), (64, 1), (64, 1)):
        x = inverted(network, x, channels, stride)
        found.append(x)
    return found[3:]


def mobilenet(network, width, size):
    """MobileNet v1's layers; returns the probabilities and some tensors on the way."""
    x = network.conv(network.input(size, size, 3), int(32 * width), 3, 2)
    on_the_way = []
    for channels, stride in BLOCKS:
        x = network.conv(network.depthwise(x, 3, stride), int(channels * width), 1)
        on_the_way.append(x)
    x = network.average_pool(x, x.shape[1])
    logits = network.conv(x, 1001, 1, activation=NONE)
    x = network.softmax(network.reshape(logits, (1, 1001)))
    return [x, logits, on_the_way[0], on_the_way[6], on_the_way[-1]]


def build(name, layer):
    network = Network(name)
    outputs = layer(network)
    return network.serialize(*(outputs if isinstance(outputs, list) else [outputs]))


def layers():
    """Name and bytes of every network of one layer."""
    return [(name, build(name, layer)) for name, layer in single().items()]


def whole():
    """Name and bytes of the others: MobileNet v1 as it is and a quarter as wide, and v2."""
    v1 = [(f"mobilenet-v1-{width}-{size}",
           build("mobilenet", lambda n, w=width, s=size: mobilenet(n, w, s)))
          for width, size in ((0.25, 128), (1.0, 224))]
    return v1 + [("mobilenet-v2-blocks", build("mobilenet", mobilenet_v2))]
