"""The environment in which notebooks are built and tested: what could differ is held.

Used by `notebooks` and by pytest's conftest, which must not need nbformat.
"""

from __future__ import annotations

HELD = {
    "PYTHONHASHSEED": "0",
    "SOURCE_DATE_EPOCH": "0",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TERM": "dumb",
    "COLUMNS": "100",
    "KINETO_LOG_LEVEL": "99",
}
