#!/usr/bin/env bash
# build-vsix.sh packages the VS Code extension with the program for each platform
# that it is given the name of, such as linux-x64, into .build/vsix, and prints
# the packages' paths. It needs Go, Node 20 or later and npm.
#
# VERSION and COMMIT are what the program says of itself.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
extension=$root/editors/vscode
packages=$root/.build/vsix

# system prints GOOS and GOARCH of a platform as VS Code names it.
system() {
	local go=${1%-*} arch=${1##*-}
	[ "$go" != win32 ] || go=windows
	[ "$arch" != x64 ] || arch=amd64
	echo "$go $arch"
}

cd "$extension"
./install.sh
mkdir -p "$packages"
trap 'rm -rf "$extension/bin"' EXIT
for platform in "$@"; do
	read -r goos goarch < <(system "$platform")
	program=emendo
	[ "$goos" != windows ] || program=emendo.exe
	rm -rf bin
	CGO_ENABLED=0 GOOS=$goos GOARCH=$goarch "${GO:-go}" build -C "$root" -trimpath \
		-ldflags "-s -w -X main.version=${VERSION:-devel} -X main.commit=${COMMIT:-}" \
		-o "$extension/bin/$program" ./cmd/emendo
	npx --no-install vsce package --no-dependencies --target "$platform" --out "$packages/emendo-$platform.vsix" >&2
	echo "$packages/emendo-$platform.vsix"
done
