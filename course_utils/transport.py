"""Packs functions, classes and values of a notebook for another process.

Used by `isolate`. cloudpickle does nearly all of it; what it cannot pack are torch's
operators (`torch.ops.aten.mm`), which any process can look up again by name.
"""

from __future__ import annotations

import copyreg
from typing import Any

import cloudpickle
import torch


def _packet(packet: Any) -> tuple:
    namespace, _, name = packet._qualified_op_name.partition("::")
    return getattr, (getattr(torch.ops, namespace), name)


copyreg.pickle(type(torch.ops), lambda ops: (getattr, (torch, "ops")))
copyreg.pickle(type(torch.ops.aten), lambda space: (getattr, (torch.ops, space.name)))
copyreg.pickle(type(torch.ops.aten.mm), _packet)
copyreg.pickle(
    type(torch.ops.aten.mm.default),
    lambda op: (getattr, (op.overloadpacket, op._overloadname)),
)


def dumps(value: Any) -> bytes:
    """The value as bytes that `pickle.loads` understands.

    Raises:
        Exception: whatever the value's own parts raise when they cannot be packed.
    """
    return cloudpickle.dumps(value)
