#!/usr/bin/env bash
# install-vscode.sh prints the folder of the extension that records VS Code, with
# what it needs from npm. It wants node, npm and Chromium; code-server is named
# to the recorder: make recordings EDITORS=vscode=/path/to/code-server.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$here/../../.editors/record-vscode
mkdir -p "$folder"
cp "$here"/vscode/* "$folder"
cd "$folder"
npm install --no-audit --no-fund --ignore-scripts --loglevel=error >&2
pwd -P
