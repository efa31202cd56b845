#!/bin/sh
# Makes .venv with everything the course needs, or says plainly what is missing.
# Called by the Makefile; `setup.sh compiler` only looks for a C++ compiler.
set -eu
cd "$(dirname "$0")/.."

fail() {
  printf '\n%s\n' "$1" >&2
  exit 1
}

if [ "${1:-}" = compiler ]; then
  "${CXX:-g++}" --version >/dev/null 2>&1 || fail \
    "No C++ compiler: \`${CXX:-g++}\` does not run. The lessons from 20 on compile C++.
On Debian and Ubuntu, \`apt install g++\` brings one; elsewhere, set CXX to yours."
  exit 0
fi

# Which Python: the one named, or the first that is new enough.
new_enough() {
  "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}
if [ -n "${PYTHON:-}" ]; then
  new_enough "$PYTHON" || fail \
    "The course needs Python 3.11 or newer, and \`$PYTHON\` is $("$PYTHON" --version 2>&1 || echo 'not there').
Name another: make PYTHON=/path/to/python3.12 ..."
else
  for candidate in python3 python3.13 python3.12 python3.11 python; do
    if new_enough "$candidate"; then PYTHON=$candidate; break; fi
  done
  [ -n "${PYTHON:-}" ] || fail \
    "The course needs Python 3.11 or newer, and this machine has $(python3 --version 2>&1 || echo 'no python3').
Install one, or name it: make PYTHON=/path/to/python3.12 ..."
fi

if ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
  ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
  echo "Setting up .venv with $("$PYTHON" --version) ..."
  rm -rf .venv
  "$PYTHON" -m venv .venv || fail \
    "Python could not make a virtual environment (see above).
On Debian and Ubuntu, \`apt install python3-venv\` brings what is missing."
fi

echo "Installing PyTorch, JupyterLab and the course's tools (some minutes the first time) ..."
.venv/bin/python -m pip install --quiet -c constraints.txt -e '.[dev]' || fail \
  "pip could not install the course's packages (its reason is above). If there is no
network, connect and run the same command again: it goes on where this one stopped."

# An installation that was killed half way can look complete to pip, so a torch that does
# not import is taken away, and the next call starts from nothing.
.venv/bin/python - <<'PY' || { rm -rf .venv; fail \
  "PyTorch was installed but does not import (see above). .venv has been removed; run the
same command again to set it up anew."; }
import torch
print(f"Ready: Python in .venv, torch {torch.__version__}.")
PY
touch .venv/.complete
