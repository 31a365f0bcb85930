#!/usr/bin/env bash
# install-kate.sh prints the Kate that the tests drive: the one that EMENDO_KATE
# names, else the one on PATH. Its tests also need Xvfb, xdotool and
# dbus-run-session. In a Debian container, which runs it as root, it installs what
# is missing (215 MB): an X server does not start from a folder of its own.
set -euo pipefail

missing() {
	local program
	for program in "${EMENDO_KATE:-kate}" Xvfb xdotool dbus-run-session; do
		command -v "$program" >/dev/null || echo "$program"
	done
}

if [ -n "$(missing)" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	{
		apt-get -qq update
		DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install kate xdotool xvfb dbus
	} >&2
fi
if [ -n "$(missing)" ]; then
	echo "${0##*/}: not found: $(missing | paste -sd' '): on Debian, apt-get install kate xdotool xvfb dbus" >&2
	exit 1
fi
command -v "${EMENDO_KATE:-kate}"
