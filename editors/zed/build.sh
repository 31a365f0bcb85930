#!/usr/bin/env bash
# build.sh tests the extension for Zed on this machine and builds it for
# wasm32-wasip2 into .build/zed, a folder that Zed installs as a dev extension.
#
# It takes the Rust on PATH if that has the target, else Debian trixie's, which it
# unpacks into .editors/rust the first time. That one needs wasm-component-ld, which
# it builds from the crate of the version that belongs to the compiler. Needs a C
# compiler.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/.tools/debroot.sh"

target=wasm32-wasip2
rust=$root/.editors/rust
component_ld=0.5.12

# ready CARGO RUSTC reports whether they compile for the target.
ready() {
	"$1" --version >/dev/null 2>&1 && [ -d "$("$2" --print target-libdir --target "$target" 2>/dev/null)" ]
}

# debian unpacks Debian's Rust and builds the linker.
debian() {
	if ! ready "$rust/usr/bin/cargo" "$rust/usr/bin/rustc"; then
		command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || {
			echo "build.sh: no Rust with the target $target: run rustup target add $target, or use Debian" >&2
			return 1
		}
		rm -rf "$rust"
		debroot trixie "$rust" cargo rustc libstd-rust-dev-wasm32 lld patchelf
		local program
		for program in cargo rustc; do
			debroot_bind "$rust" "$rust/usr/bin/$program"
		done
		debroot_bind "$rust" "$(readlink -f "$rust/usr/bin/wasm-ld")"
	fi
	export RUSTC=$rust/usr/bin/rustc
	if [ ! -x "$rust/linker/bin/wasm-component-ld" ]; then
		"$rust/usr/bin/cargo" install --quiet --locked --version "$component_ld" --root "$rust/linker" wasm-component-ld
	fi
	ln -sf ../../usr/bin/wasm-ld "$rust/linker/bin/wasm-ld"
	export PATH=$rust/linker/bin:$PATH
}

cargo=$(command -v cargo || true)
if ! ready "$cargo" "$(command -v rustc || true)"; then
	debian
	cargo=$rust/usr/bin/cargo
fi

cd "$root/editors/zed"
export CARGO_TARGET_DIR=$root/.build/zed-target
"$cargo" test --locked --quiet --lib
"$cargo" build --locked --release --quiet --target "$target"

out=$root/.build/zed
rm -rf "$out"
mkdir -p "$out"
cp -r extension.toml Cargo.toml Cargo.lock src "$out"
cp "$CARGO_TARGET_DIR/$target/release/zed_emendo.wasm" "$out/extension.wasm"

# A component begins with the magic number, version 13 and layer 1; a module, which
# Zed would refuse, with version 1.
head=$(od -An -tx1 -N8 "$out/extension.wasm" | tr -d ' \n')
if [ "$head" != 0061736d0d000100 ]; then
	echo "build.sh: extension.wasm is not a component: it begins with $head" >&2
	exit 1
fi
echo "$out"
