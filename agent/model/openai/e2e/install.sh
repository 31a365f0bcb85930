#!/bin/sh
# Installs the OpenAI-compatible server that the tests of this folder talk to, as
# package-lock.json pins it, unless that was done. It needs Node 20 or later, and npm.
set -eu
cd "$(dirname "$0")"
if [ -e node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ]; then
	exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
