#!/usr/bin/env bash
# install-chromium.sh prints the Chromium in which the tests open VS Code: the one
# that EMENDO_CHROMIUM names, else the one on PATH, else Debian trixie's headless
# shell, which it puts into .editors the first time. The shell is Chromium without
# windows of its own, which take a tenth of the processor time of a journey.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/.tools/debroot.sh"

works() {
	"$1" --version --no-sandbox 2>/dev/null | grep -q '^Chromium '
}

# finish makes a script for the program in place of Debian's, which looks for it
# where it would have been installed. The fonts are the folder's own.
finish() {
	local folder=$1 script=$2 real=$1/usr/lib/chromium/chromium-headless-shell
	local libraries
	debroot_bind "$folder" "$real"
	# One library looks for another in a folder of the machine, whatever the program says.
	libraries=$(dirname "$(find "$folder/usr/lib" -name 'libpulsecommon-*.so' -print -quit)")
	cat >"$folder/fonts.conf" <<-FONTS
		<?xml version="1.0"?>
		<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
		<fontconfig>
		  <dir>$folder/usr/share/fonts</dir>
		  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
		  <cachedir>$folder/var/cache/fontconfig</cachedir>
		</fontconfig>
	FONTS
	rm -f "$script"
	cat >"$script" <<-SCRIPT
		#!/bin/sh
		export FONTCONFIG_FILE="$folder/fonts.conf"
		export LD_LIBRARY_PATH="$libraries"
		export XDG_DATA_DIRS="$folder/usr/share"
		exec "$real" "\$@"
	SCRIPT
	chmod +x "$script"
}

mkdir -p "$root/.editors"
shell=chromium-headless-shell
if ! command -v "$shell" >/dev/null && found=$(command -v chromium) && works "$found"; then
	EMENDO_CHROMIUM=${EMENDO_CHROMIUM:-$found}
fi
debroot_program EMENDO_CHROMIUM "$shell" "$shell" "$(cd -P "$root/.editors" && pwd)/$shell" Chromium
