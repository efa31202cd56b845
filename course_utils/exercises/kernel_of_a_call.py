"""The contract of exercise 10.4: which kernel does a convolution run?"""

from __future__ import annotations

import math
import os
from collections.abc import Callable

import torch
import torch.nn.functional as F

from course_utils.exercise import Trial, exercise

SLOW, FAST = "aten::_slow_conv2d_forward", "aten::mkldnn_convolution"


def _conv_kernel(
    x_shape: tuple[int, ...], w_shape: tuple[int, ...], dtype: torch.dtype
) -> str:
    """The truth of 10.4: runs the convolution, and lets the profiler say who did it."""
    if not torch.backends.mkldnn.is_available():  # built without oneDNN: by the rule
        fast = dtype is torch.float32 and (
            x_shape[0] > 1 or math.prod(x_shape) > 20480 or min(w_shape[2:]) > 3
        )
        return FAST if fast else SLOW
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler announces itself
    x, w = torch.zeros(x_shape, dtype=dtype), torch.zeros(w_shape, dtype=dtype)
    with torch.autograd.profiler.profile() as profile, torch.no_grad():
        F.conv2d(x, w)
    names = {event.name for event in profile.function_events}
    (name,) = names & {SLOW, FAST}
    return name


@exercise(
    "10.4",
    "Name the kernel that runs",
    difficulty=2,
    minutes=12,
    kind="function",
    hints=(
        "The rule stands above in words, and in `ConvParams::use_mkldnn` in "
        "Convolution.cpp. Our convolutions are dense, have stride 1 and no dilation, "
        "are not transposed and have one group, so most of it is settled.",
        "oneDNN gets float32 only, and only if one of three things holds: the batch "
        "is larger than 1, the kernel is larger than 3 in both directions, or the "
        "input has more than 20480 elements.",
        "`batch, *_ = x_shape`, `_, _, height, width = w_shape`, and "
        "`math.prod(x_shape)` is the number of elements. Return one of the two names "
        "of the statement.",
    ),
)
def conv_kernel(answer: Callable, t: Trial) -> None:
    """x_shape: (N, C, H, W); w_shape: (K, C, h, w) with h, w > 1; a dtype.

    Returns "aten::mkldnn_convolution" or "aten::_slow_conv2d_forward", whichever
    `F.conv2d` of such tensors runs on a CPU, for float32 and float64.
    """
    f32, f64 = torch.float32, torch.float64
    for case, x, w, dtype, sentence in (
        ("one image, 3 x 3", (1, 3, 8, 8), (4, 3, 3, 3), f32, "one small image"),
        ("four images, 3 x 3", (4, 3, 8, 8), (4, 3, 3, 3), f32, "a batch of 4"),
        ("two images, 3 x 3", (2, 3, 8, 8), (4, 3, 3, 3), f32, "a batch of 2"),
        ("one image, 5 x 5", (1, 3, 8, 8), (4, 3, 5, 5), f32, "a window of 5 x 5"),
        ("one image, 4 x 4", (1, 3, 8, 8), (4, 3, 4, 4), f32, "a window of 4 x 4"),
        ("one image, 3 x 5", (1, 3, 8, 8), (4, 3, 3, 5), f32, "a window of 3 x 5"),
        ("one image, 5 x 3", (1, 3, 8, 8), (4, 3, 5, 3), f32, "a window of 5 x 3"),
        ("many outputs", (1, 2, 4, 4), (9999, 2, 3, 3), f32, "a large weight"),
        ("20480 elements", (1, 5, 64, 64), (2, 5, 3, 3), f32, "exactly 20480 elements"),
        ("20481 elements", (1, 1, 3, 6827), (2, 1, 3, 3), f32, "20481 elements"),
        ("four images, double", (4, 3, 8, 8), (4, 3, 3, 3), f64, "float64"),
        ("one image, double, 5 x 5", (1, 3, 8, 8), (4, 3, 5, 5), f64, "float64"),
    ):
        t.call(
            answer,
            x,
            w,
            dtype,
            expect=_conv_kernel(x, w, dtype),
            case=case,
            why=(
                (
                    lambda got, want, *args: got == FAST,
                    f"oneDNN is not asked for {sentence}; PyTorch's own kernel runs",
                ),
                (
                    lambda got, want, *args: got == SLOW,
                    f"oneDNN is asked for {sentence}, where the answer names "
                    "PyTorch's own kernel",
                ),
                (
                    lambda got, want, *args: isinstance(got, bool),
                    "it returns a bool; the kernel's name is asked for",
                ),
            ),
        )
