#!/bin/sh
# Mutate the deciding modules of chunkers/ in a copy of the checkout, and print what survives.
#   sh benchmarks/chunk/mutation/run.sh [cut|pattern] [FOLDER]
set -eu
name=${1:-cut}
copy=${2:-$(mktemp -d)}/$name
here=$(cd "$(dirname "$0")/../../.." && pwd)
mkdir -p "$copy"
(cd "$here" && git archive HEAD) | tar -x -C "$copy"
cd "$copy"
export PYTHONPATH="$copy/chunkers:$copy/checks:$copy/runs:$copy/retrodoc" PYTHONDONTWRITEBYTECODE=1
export PATH="$here/.venv/bin:$PATH"
config=benchmarks/chunk/mutation/$name.toml
cosmic-ray init "$config" session.sqlite
cr-filter-operators session.sqlite "$config"
cosmic-ray baseline "$config"
cosmic-ray exec "$config" session.sqlite
cr-report session.sqlite --show-pending | tail -n 3
cr-rate session.sqlite
cr-report session.sqlite --surviving-only --show-diff
