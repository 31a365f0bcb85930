// Package builds knows the folders that package managers, build tools and test runners fill,
// by their names. What is in them is made again by running the tool again, if nobody keeps
// anything else there: git ignores such a folder, or there is no git to ask. It also knows
// the files that tools of a project run by themselves.
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

// made are the folders that tools make beside a file of a project.
var made = map[string][]string{
	"Cargo.toml":       {"target"},
	"package.json":     {"dist", "build", "out", "coverage", ".nyc_output", ".cache", ".next", ".nuxt", ".svelte-kit", ".parcel-cache", ".turbo"},
	"pyproject.toml":   python,
	"setup.py":         python,
	"setup.cfg":        python,
	"pytest.ini":       python,
	"tox.ini":          python,
	"requirements.txt": python,
	"Makefile":         {"build", "out", "dist", "target", "_build"},
	"CMakeLists.txt":   {"build", "out"},
	"meson.build":      {"build"},
	"pom.xml":          {"target"},
	"build.gradle":     {"build", ".gradle"},
	"build.gradle.kts": {"build", ".gradle"},
	"mix.exs":          {"_build", "deps"},
	"dune-project":     {"_build"},
	"cabal.project":    {"dist-newstyle"},
	"stack.yaml":       {".stack-work"},
	"build.zig":        {".zig-cache", "zig-out"},
	"pubspec.yaml":     {".dart_tool", "build"},
}

var python = []string{"build", "dist", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".tox", ".nox", ".eggs", "htmlcov", "__pycache__"}

// Beside returns the folders that tools make beside a file of that name; nil if it is none by
// which a tool knows a project.
func Beside(name string) []string { return made[name] }
