# SPDX-License-Identifier: MIT
"""What a task leaves in memory, computed from programming-model.md alone.

Slow, plain and independent of the model: an element of the output at a time, straight
from the formulas. Where that page leaves something open the model's documentation says
how it decides, and so it is here. It knows tasks that end; reserved codes, hangs and
whatever the page calls unsupported are not for it.
"""
