package builds

import (
	"encoding/json"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// runs are the names of files that tools of a project run by themselves, or that say what
// they run, in lower case.
var runs = []string{
	// make and its like
	"makefile", "gnumakefile", "bsdmakefile", "justfile", ".justfile", "taskfile.yml", "taskfile.yaml", "taskfile.dist.yml", "taskfile.dist.yaml", "magefile.go", "sconstruct", "sconscript", "wscript", "tup.config", "tupfile",
	"cmakelists.txt", "cmakepresets.json", "cmakeuserpresets.json", "meson.build", "configure", "configure.ac", "autogen.sh", "makefile.am", "makefile.in",
	"build", "build.bazel", "workspace", "workspace.bazel", "module.bazel", "buck", "dockerfile", "containerfile", "compose.yml", "compose.yaml", "docker-compose.yml", "docker-compose.yaml", "vagrantfile", "procfile",
	"flake.nix", "default.nix", "shell.nix",
	// of languages
	"build.rs", "build.zig", "package.swift", "dune", "dune-project", "setup.hs",
	"conftest.py", "setup.py", "setup.cfg", "noxfile.py", "tox.ini", "pytest.ini", "tasks.py", "fabfile.py", "wscript.py", "conanfile.py",
	"rakefile", "gemfile", "guardfile", "podfile", "fastfile", "spec_helper.rb", "rails_helper.rb", "test_helper.rb", ".rspec",
	"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "init.gradle", "gradlew", "gradlew.bat", "gradle-wrapper.properties", "mvnw", "mvnw.cmd", "pom.xml", "build.xml", "build.sbt", "build.sc", "project.clj", "deps.edn",
	"mix.exs", "rebar.config", "rebar.config.script", "test_helper.exs", "makefile.pl", "build.pl",
	"gulpfile.js", "gulpfile.mjs", "gulpfile.cjs", "gulpfile.ts", "gruntfile.js", "gruntfile.cjs", "jakefile.js", "karma.conf.js", "binding.gyp", "turbo.json", "nx.json", "project.json", "deno.json", "deno.jsonc", ".babelrc", ".babelrc.js", ".mocharc.js", ".mocharc.cjs", ".mocharc.json", ".mocharc.yml",
	".eslintrc", ".eslintrc.js", ".eslintrc.cjs", ".eslintrc.json", ".eslintrc.yml", ".prettierrc.js", ".prettierrc.cjs", ".prettierrc.mjs", ".stylelintrc.js", ".postcssrc.js",
	"directory.build.props", "directory.build.targets", "phpunit.xml", "phpunit.xml.dist",
}

// runsEnds are the endings of such names.
var runsEnds = []string{
	".mk", ".cmake", ".bzl", ".gemspec", ".csproj", ".fsproj", ".vbproj", ".vcxproj", ".targets", ".props", ".rake",
	".config.js", ".config.cjs", ".config.mjs", ".config.ts", ".config.cts", ".config.mts",
}

// harmless are the keys of manifests that run nothing. All others do, or may.
var harmless = map[string][]string{
	"package.json": {
		"name", "version", "description", "keywords", "license", "author", "contributors", "maintainers", "homepage", "bugs", "repository", "funding", "private", "engines",
		"dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "peerDependenciesMeta", "bundledDependencies",
	},
	"composer.json": {"name", "version", "description", "keywords", "license", "authors", "homepage", "support", "type", "require", "require-dev", "minimum-stability", "prefer-stable"},
	"cargo.toml": {
		"package.name", "package.version", "package.edition", "package.authors", "package.description", "package.license", "package.readme", "package.repository", "package.homepage", "package.documentation", "package.keywords", "package.categories", "package.rust-version", "package.publish",
		"dependencies", "dev-dependencies", "features",
	},
	"pyproject.toml": {
		"project.name", "project.version", "project.description", "project.readme", "project.license", "project.authors", "project.maintainers", "project.keywords", "project.classifiers", "project.urls", "project.requires-python", "project.dependencies", "project.optional-dependencies",
		"dependency-groups",
	},
}

// Listed reports whether a file of that name may be one for [Runs].
func Listed(name string) bool {
	name = strings.ToLower(path.Base(name))
	_, manifest := harmless[name]
	return manifest || slices.Contains(runs, name) || slices.ContainsFunc(runsEnds, func(end string) bool { return strings.HasSuffix(name, end) && name != end })
}

// Runs reports whether a change of a file changes what tools of a project run by
// themselves. The path is slash-separated; a text is empty where there is no file. Of a
// manifest what it says to run counts; one that cannot be read counts whole.
func Runs(name, before, after string) bool {
	name = strings.ToLower(path.Base(name))
	keys, manifest := harmless[name]
	if !manifest {
		return Listed(name)
	}
	was, ok := parseWithout(name, before, keys)
	is, ok2 := parseWithout(name, after, keys)
	return !ok || !ok2 || !reflect.DeepEqual(was, is)
}

// parseWithout returns what a manifest says beside the harmless keys.
func parseWithout(name, text string, harmless []string) (m map[string]any, ok bool) {
	m = map[string]any{}
	if strings.TrimSpace(text) == "" {
		return m, true
	}
	read := json.Unmarshal
	if strings.HasSuffix(name, ".toml") {
		read = toml.Unmarshal
	}
	if read([]byte(text), &m) != nil {
		return nil, false
	}
	for _, key := range harmless {
		table, in, found := strings.Cut(key, ".")
		inner, is := m[table].(map[string]any)
		switch {
		case !found:
			delete(m, table)
		case is:
			if delete(inner, in); len(inner) == 0 {
				delete(m, table)
			}
		}
	}
	return m, true
}
