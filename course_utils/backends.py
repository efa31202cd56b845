"""Which libraries this torch holds, and which of them does the arithmetic of a call.

Used by `layers` and lesson 10. oneDNN and MKL say on request, by C's printf, what they
compute; since that bypasses Python, the call is repeated in a process of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch

from course_utils import isolate
from course_utils.operators import Shape
from course_utils.table import Table

ATEN = "ATen's own code"
OWN = "its own code"
UNKNOWN = "not known"
VIEW = "a view"
_ELSEWHERE = {"meta": "no numbers", "fake": "no numbers", "cuda": "CUDA"}


def backends() -> Table:
    """What this build of torch can compute with, and what is there at run time."""
    config = torch.__config__.show()
    capability = torch.backends.cpu.get_cpu_capability()
    threads = torch.get_num_threads()
    rows = [
        ("CPU", "yes", f"vector instructions: {capability}"),
        ("threads", str(threads), "of one call, by " + _threading()),
        ("MKL", _yes(torch.backends.mkl.is_available()), "matrix products in float32"),
        (
            "oneDNN (once MKLDNN)",
            _yes(torch.backends.mkldnn.is_available()),
            _find(r"(?:Intel\(R\) MKL-DNN|oneDNN) v([\d.]+)", config),
        ),
        ("CUDA", *_cuda()),
        ("cuDNN", *_cudnn()),
        ("MPS", *_mps()),
        ("XNNPACK", _yes(_xnnpack(config)), "float32 and int8 on small devices"),
        ("XLA", *_xla()),
    ]
    return Table(rows, ["backend", "here", "note"])


def _yes(there: bool) -> str:
    return "yes" if there else "no"


def _find(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return f"version {match[1]}; convolutions, bfloat16" if match else ""


def _cuda() -> tuple[str, str]:
    if torch.cuda.is_available():
        return "yes", torch.cuda.get_device_name()
    if torch.version.cuda:
        return "no", f"built for CUDA {torch.version.cuda}, but no GPU is here"
    return "no", "this torch is built without it"


def _threading() -> str:
    if torch.backends.openmp.is_available():
        return "OpenMP"
    return "ATen's own thread pool"


def _cudnn() -> tuple[str, str]:
    if not torch.backends.cudnn.is_available():
        return "no", "convolutions on CUDA"
    return "yes", f"version {torch.backends.cudnn.version()}; convolutions on CUDA"


def _mps() -> tuple[str, str]:
    if torch.backends.mps.is_available():
        return "yes", "Apple's GPUs"
    built = "built, but none is here" if torch.backends.mps.is_built() else "not built"
    return "no", f"Apple's GPUs: {built}"


def _xnnpack(config: str) -> bool:
    told = getattr(torch._C, "_is_xnnpack_enabled", None)
    return bool(told()) if told is not None else "USE_XNNPACK=ON" in config


def _xla() -> tuple[str, str]:
    try:
        torch.empty(1, device="xla")
    except (NotImplementedError, RuntimeError) as error:
        kind = type(error).__name__
        return "no", f'a package of its own; `device="xla"` raises {kind}'
    return "yes", "registered by the package torch_xla"


def _aloud(fn: Callable, args: tuple) -> None:
    """Runs in the child: everything that oneDNN and MKL do is printed."""
    from torch.backends import mkl, mkldnn

    with mkldnn.verbose(mkldnn.VERBOSE_ON), mkl.verbose(mkl.VERBOSE_ON):
        fn(*args)


def verbose(fn: Callable, *args: Any) -> list[str]:
    """The lines that oneDNN and MKL print while `fn(*args)` runs.

    Raises:
        isolate.Crashed: if the call does not return.
    """
    outcome = isolate.run(_aloud, fn, args, time_limit=60)
    if not outcome.ok:
        raise isolate.Crashed(f"the code {outcome.sentence}")
    return [
        line
        for line in outcome.output.splitlines()
        if line.startswith(("onednn_verbose", "dnnl_verbose", "MKL_VERBOSE"))
    ]


def onednn(fn: Callable, *args: Any) -> list[dict[str, str]]:
    """What oneDNN computes while `fn(*args)` runs, one dict a primitive.

    The keys: "primitive" ("convolution", "matmul"), "implementation"
    ("brgconv:avx512_core"), "shape" (as oneDNN writes it). Times are left out.

    Raises:
        isolate.Crashed: if the call does not return.
    """
    rows = []
    for line in verbose(fn, *args):
        parts = line.split(",")
        if "exec" not in parts or "MKL_VERBOSE" in line:
            continue
        parts = parts[parts.index("exec") + 1 :]  # cpu, primitive, implementation, ...
        rows.append(
            {
                "primitive": parts[1],
                "implementation": parts[2],
                "shape": parts[-2] if len(parts) > 2 else "",
            }
        )
    return rows


def _replay(calls: list[tuple[Any, list[tuple], list[Any]]]) -> None:
    """Runs in the child: each operator again on numbers of the same shapes."""
    from torch.utils._pytree import tree_map_only

    for number, (func, args, kwargs) in enumerate(calls):
        print(f"call {number}", flush=True)
        args, kwargs = tree_map_only(Shape, Shape.tensor, (args, kwargs))
        try:
            with torch.inference_mode():
                func(*args, **kwargs)
        except Exception:  # an index out of range, say: numbers of ours do not fit
            continue


def _sparse(op: Any) -> bool:
    from torch.utils._pytree import tree_leaves

    leaves = tree_leaves(op.call)
    return any(isinstance(leaf, Shape) and leaf.stride is None for leaf in leaves)


LIBRARY_OPS = re.compile(
    r"aten\.(?:mm|addmm|bmm|baddbmm|addmv|mv|dot|linear|convolution|_convolution|"
    r"convolution_backward|mkldnn_\w+|_scaled_dot_product\w+|lstm|gru)\b"
)


def libraries(ops: list[Any]) -> list[str]:
    """The library behind each recorded operator.

    Operators that may go to a library are run again, in a process of its own, on ones
    of the same shapes and strides, while oneDNN and MKL report.

    Returns:
        For each: "MKL", "oneDNN", "ATen's own code", "a view" where nothing is
        computed, "no numbers" for meta and fake tensors, "CUDA", or another device;
        "its own code" for operators that are not ATen's, "not known" for products of
        sparse tensors.
    """
    answer = [
        VIEW
        if op.view
        else _ELSEWHERE.get(op.device, op.device)
        if op.device not in ("cpu", "")
        else ATEN
        if op.name.startswith("aten.")
        else OWN
        for op in ops
    ]
    asked = [
        (i, op)
        for i, op in enumerate(ops)
        if op.device == "cpu" and LIBRARY_OPS.match(op.name)
    ]
    for i, op in asked:
        if _sparse(op):  # dense ones in its place would go another way
            answer[i] = UNKNOWN
    asked = [(i, op) for i, op in asked if answer[i] != UNKNOWN]
    if not asked:
        return answer
    calls = [(op.func, *op.call) for _, op in asked]
    outcome = isolate.run(_aloud, _replay, (calls,), time_limit=60)
    sections = re.split(r"(?m)^call \d+$", outcome.output)[1:]
    for (i, _), said in zip(asked, sections, strict=False):
        if re.search(r"(?:onednn|dnnl)_verbose\S*,exec", said):
            answer[i] = "oneDNN"
        elif "MKL_VERBOSE" in said:
            answer[i] = "MKL"
    return answer
