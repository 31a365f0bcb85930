// Package builds knows the folders that package managers, build tools and test runners fill,
// by their names. What is in them is made again by running the tool again, if nobody keeps
// anything else there: git ignores such a folder, or there is no git to ask.
package builds

import (
	"slices"
	"strings"
)

// Folders are their names.
var Folders = []string{
	"node_modules", "bower_components", "vendor", "deps", "Pods", ".venv", "venv", ".tox", ".nox", ".eggs", ".gradle", ".terraform",
	"target", "dist", "build", "out", "_build", "DerivedData", ".stack-work", "dist-newstyle", "bazel-bin", "bazel-out", ".next", ".nuxt", ".svelte-kit", ".zig-cache", "zig-out", ".dart_tool",
	"__pycache__", ".cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".parcel-cache", ".turbo", "htmlcov", ".nyc_output", "coverage",
}

// Folder reports whether a folder of that name usually holds dependencies, build results or
// a cache of a tool.
func Folder(name string) bool { return slices.Contains(Folders, name) }

// Within reports whether a slash-separated path is that of such a folder or of something in
// one.
func Within(path string) bool { return slices.ContainsFunc(strings.Split(path, "/"), Folder) }
