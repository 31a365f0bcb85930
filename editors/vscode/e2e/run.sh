#!/usr/bin/env bash
# run.sh runs the tests of the VS Code extension: the types, the parts, and the
# journeys in real VS Code, apart from those that are for make nightly. With names,
# as in run.sh ask, it runs all journeys of those files, and with run.sh all those of
# every file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
./install.sh
../../mcp/e2e/install.sh
EMENDO_CODE_SERVER=$(../install-code-server.sh)
EMENDO_CHROMIUM=$(../install-chromium.sh)
export EMENDO_CODE_SERVER EMENDO_CHROMIUM
node=$(dirname "$EMENDO_CODE_SERVER")/node
[ -x "$node" ] || node=node # code-server's own is there if it came from npm
# What all journeys share is built before the first, whose time is limited.
"$node" --input-type=module -e "(await import('./e2e/places.ts')).places()"
GLOBIGNORE=e2e/measure.test.ts # what is measured needs the machine for itself: run.sh measure
if [ "$*" = all ]; then
	exec "$node" --test --test-isolation=none e2e/*.test.ts
fi
if [ $# -gt 0 ]; then
	files=("${@/%/.test.ts}")
	exec "$node" --test --test-isolation=none "${files[@]/#/e2e/}"
fi
npm run --silent check & # one processor checks the types, the other tests the parts
types=$!
PATH="$(dirname "$(command -v "$node")"):$PATH" npm test --silent
wait "$types"
# One journey runs at a time, since a window of VS Code takes two processors. All of
# them are in one process, and share its browser.
EMENDO_JOURNEYS=short exec "$node" --test --test-isolation=none e2e/*.test.ts
