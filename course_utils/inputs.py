"""The inputs that an operator must get right, from the smallest to the awkward.

Used by the contracts in `course_utils/exercises` and by the tests of `csrc`. Every
tensor is made anew and from a fixed seed, so that a wrong case is the same each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

SIZES = (31, 32, 33, 1023, 1025)
FLOATING = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def special(
    dtype: torch.dtype = torch.float32, device: str | torch.device = "cpu"
) -> torch.Tensor:
    """x: (9,): -inf, -2, -1, -0.0, 0.0, 1, 2, inf, NaN."""
    inf, nan = float("inf"), float("nan")
    return torch.tensor(
        [-inf, -2.0, -1.0, -0.0, 0.0, 1.0, 2.0, inf, nan], dtype=dtype, device=device
    )


def randn(
    *shape: int,
    dtype: torch.dtype = torch.float32,
    device: str | torch.device = "cpu",
    seed: int = 0,
) -> torch.Tensor:
    """Normal numbers from a generator of their own: the global seed is untouched."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, generator=generator).to(dtype=dtype, device=device)


def pointwise(
    dtypes: Sequence[torch.dtype] = (torch.float32,),
    device: str | torch.device = "cpu",
) -> Iterator[tuple[str, torch.Tensor]]:
    """Named inputs for an elementwise operator, the simplest first.

    Values, then NaN and infinities, then shapes (empty, one element, no dimensions, odd
    sizes around a block), then layouts (transposed, sliced, expanded, channels last),
    each of the other dtypes last.

    Yields:
        (name, x), x of the first dtype unless the name says another.
    """
    first, *others = dtypes
    yield "three values", torch.tensor([-1.0, 0.5, 2.0], dtype=first, device=device)
    yield "zeros of both signs", torch.tensor([-0.0, 0.0], dtype=first, device=device)
    yield "NaN and infinities", special(first, device)
    yield "an empty tensor", torch.empty(0, dtype=first, device=device)
    yield "an empty tensor of shape (0, 3)", torch.empty(0, 3, dtype=first).to(device)
    yield "one element", torch.tensor([-3.0], dtype=first, device=device)
    yield "no dimensions", torch.tensor(-3.0, dtype=first, device=device)
    for n in SIZES:
        yield f"{n} elements", randn(n, dtype=first, device=device, seed=n)
    x = randn(6, 7, dtype=first, device=device)
    yield "three dimensions", randn(2, 3, 5, dtype=first, device=device)
    yield "a transposed matrix", x.t()
    yield "every second column", x[:, ::2]
    yield "a view that starts later", x[2:, 3:]
    yield "an expanded row (stride 0)", x[:1].expand(4, 7)
    yield (
        "channels last",
        randn(2, 3, 4, 5, dtype=first, device=device).to(
            memory_format=torch.channels_last
        ),
    )
    for dtype in others:
        name = str(dtype).removeprefix("torch.")
        yield f"{name}", special(dtype, device)
        yield f"{name}, transposed", randn(5, 3, dtype=dtype, device=device).t()
