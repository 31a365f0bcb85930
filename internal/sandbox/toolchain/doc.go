// Package toolchain knows what builds need: the folders of toolchains and caches, the
// environment of a command, and the shell that runs it.
package toolchain
