# shellcheck shell=bash
# debroot.sh is sourced by the scripts that find the programs which tests need:
# what they call is debroot_program.
#
# It takes a program from a Debian release that is newer than the machine's and
# leaves the machine as it is. apt gets a state folder of its own in which
# nothing counts as installed, so that a program comes with everything it needs,
# the C library included. The packages are unpacked into one folder and their
# scripts are not run. Needs Debian's apt and dpkg-deb; root is not needed.

# debroot_program VARIABLE PACKAGE PROGRAM FOLDER WHAT [RELEASE] prints a program
# for tests: the one that the variable names, else the one on PATH, else Debian
# trixie's, which it puts into the folder the first time. With a RELEASE it is
# that release's, whatever is on PATH. The script that calls it defines a function,
# works PROGRAM, that reports whether a program will do; WHAT names one that would.
# Where a program needs more than its libraries, a function finish FOLDER PROGRAM
# completes the folder.
debroot_program() {
	local variable=$1 package=$2 program=$3 folder=$4 what=$5 release=${6:-trixie} script=${0##*/} found
	found=${!variable:-}
	if [ -n "$found" ]; then
		works "$found" || {
			echo "$script: $variable is $found, which is no $what: name another or unset it" >&2
			return 1
		}
		echo "$found"
		return
	fi
	if [ $# -lt 6 ] && found=$(command -v "$program") && works "$found"; then
		echo "$found"
		return
	fi
	found=$folder/usr/bin/$program
	if ! works "$found"; then
		if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
			echo "$script: there is no $what, and it is installed by itself on Debian alone: put one on PATH or name it by $variable" >&2
			return 1
		fi
		rm -rf "$folder"
		debroot "$release" "$folder" "$package" patchelf
		if declare -F finish >/dev/null; then
			finish "$folder" "$found"
		else
			debroot_bind "$folder" "$found"
		fi
		works "$found" || {
			echo "$script: the $program in $folder does not start: remove that folder and try again, or name one by $variable" >&2
			return 1
		}
	fi
	echo "$found"
}

# debroot_mirror prints where the machine gets its own release from: the same
# place has the others.
debroot_mirror() {
	local release mirror
	release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	mirror() {
		apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
			awk -v release="$release" '$2 == release && !found { print $1; found = 1 }'
	}
	mirror=$(mirror)
	if [ -z "$mirror" ]; then # apt names no places before it has fetched lists
		apt-get -qq update >&2 || true
		mirror=$(mirror)
	fi
	if [ -z "$mirror" ]; then
		echo "debroot: apt's sources name no mirror for the release ${release:-of this machine}" >&2
		return 1
	fi
	echo "$mirror"
}

# debroot RELEASE FOLDER PACKAGE... unpacks the packages of the release, and all
# that they depend on, into the folder.
debroot() {
	local release=$1 root=$2 mirror apt status=0
	shift 2
	mirror=$(debroot_mirror) || return
	apt=$(mktemp -d) || return
	mkdir -p "$root" "$apt/state/lists/partial" "$apt/cache/archives/partial"
	: >"$apt/state/status"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >"$apt/sources.list"
	cat >"$apt/apt.conf" <<-CONF
		Dir::State "$apt/state";
		Dir::State::status "$apt/state/status";
		Dir::Cache "$apt/cache";
		Dir::Etc::SourceList "$apt/sources.list";
		Dir::Etc::SourceParts "/dev/null";
		Dir::Etc::Preferences "/dev/null";
		Dir::Etc::PreferencesParts "/dev/null";
		Acquire::Languages "none";
		Acquire::Retries "3";
		Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
		APT::Install-Recommends "false";
		APT::Sandbox::User "root";
	CONF
	debroot_unpack "$apt" "$root" "$@" >&2 || status=$?
	rm -rf "$apt"
	return "$status"
}

# debroot_unpack does it with the apt that is set up.
debroot_unpack() (
	set -eo pipefail
	root=$(cd "$2" && pwd)
	export APT_CONFIG=$1/apt.conf
	cd "$1/cache/archives"
	shift 2
	apt-get -qq update
	# What apt would install, as package names: 'address' name_version_arch.deb …
	apt-get -qq -y --print-uris install "$@" | awk '{ sub(/_.*/, "", $2); print $2 }' | xargs apt-get -qq download
	for package in ./*.deb; do
		dpkg-deb -x "$package" "$root"
	done
	rm -rf "$root"/usr/share/{applications,bug,doc,icons,info,lintian,locale,man,metainfo,pixmaps}
)

# debroot_bind FOLDER PROGRAM has a program in the folder use the folder's own
# loader and libraries. It is written into the program: started through the
# loader instead, it would take the loader for itself when it starts itself
# again. The folder has to hold patchelf, and cannot be moved afterwards.
debroot_bind() {
	local root=$1 program=$2 loader libraries
	loader=$(find "$root" -name 'ld-linux*.so.*' -print -quit)
	libraries=$(find "$root" -maxdepth 5 -path '*/lib/*-linux-gnu*' -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
	"$loader" --library-path "$libraries" "$root/usr/bin/patchelf" \
		--set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
}
