#!/usr/bin/env bash
# install-charmaps.sh prints the folder with the character maps from which the
# tests of commands make locales: the system's, else Debian trixie's, which it
# puts into .build the first time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/.tools/debroot.sh"

folder=/usr/share/i18n
if [ ! -e "$folder/charmaps/GBK.gz" ]; then
	folder=$root/.build/locales/usr/share/i18n
	[ -e "$folder/charmaps/GBK.gz" ] || debroot trixie "$root/.build/locales" locales
fi
echo "$folder"
