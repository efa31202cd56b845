"""placeholder"""
from __future__ import annotations
class Trace:
    pass
