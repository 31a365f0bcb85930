#!/usr/bin/env bash
# generate.sh FOLDER VERSION writes the completions and the manual page of the
# program into the folder, the same bytes each time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$1

rm -rf "$folder"
mkdir -p "$folder/completions" "$folder/man"
emendo=$folder/emendo
CGO_ENABLED=0 "${GO:-go}" build -C "$root" -trimpath -ldflags "-X main.version=$2" -o "$(cd "$folder" && pwd)/emendo" ./cmd/emendo
"$emendo" completion bash >"$folder/completions/emendo.bash"
"$emendo" completion zsh >"$folder/completions/_emendo"
"$emendo" completion fish >"$folder/completions/emendo.fish"
"$emendo" completion powershell >"$folder/completions/emendo.ps1"
"$emendo" man | gzip -9n >"$folder/man/emendo.1.gz"
rm "$emendo"
