package program

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/paths"
)

// RunsProject returns why the call runs what files of a project say.
func (c *Call) RunsProject() string {
	if runsProject[c.name] || c.name == "go" && len(c.words) > 1 && c.words[1].Is("run", "test", "generate", "tool") {
		return c.name + " runs commands from project files"
	}
	if !interpreters()[c.name] {
		return ""
	}
	return c.projectScript(table()[c.name])
}

// RunsUnnamed returns why the call runs programs that its words do not name.
func (c *Call) RunsUnnamed() string {
	if why := c.RunsProject(); why != "" {
		return why
	}
	switch {
	case c.name == "cd" || c.name == "pushd":
		return c.literalTo(len(c.words))
	case c.name == "." || c.name == "source":
		return c.literalTo(2)
	case interpreters()[c.name]:
		return c.scriptUnnamed(table()[c.name])
	case !HasName(shellNames, c.name) || shellOptionsOf(c.words).text: // its text is analyzed
		return ""
	}
	return c.literalTo(shellOptionsOf(c.words).end + 1)
}

// literalTo returns a reason unless the first n words are literal.
func (c *Call) literalTo(n int) string {
	n = min(n, len(c.words))
	if len(Leading(c.words)) < n {
		return "what it runs is not a literal word"
	}
	for _, w := range c.words[:n] {
		if c.s.Filled != "" && strings.Contains(w.Text, c.s.Filled) {
			return WhyRunsFilled
		}
	}
	return ""
}

// projectScript handles interpreters that are given a folder of the project.
func (c *Call) projectScript(t *program) string {
	args, next := t.arguments(c.words, 1)
	for _, a := range args {
		switch {
		case a.option != "" && !a.listed: // where the script is, is not known
			return c.folder(c.words[1:]...)
		case a.option == "-m" && a.value.Is(strings.Fields("pytest unittest nox tox invoke")...):
			return a.value.Text + " runs commands from project files"
		case a.option == "-m" && slices.ContainsFunc(c.s.In, func(dir string) bool {
			return paths.IsFolder(follow(dir, strings.ReplaceAll(a.value.Text, ".", "/")))
		}):
			return a.value.Text + " is a package, and files in it decide what runs"
		case a.option == "":
			next = min(next, a.at)
		}
	}
	return c.folder(c.words[min(next, len(c.words)):min(next+1, len(c.words))]...)
}

// scriptUnnamed handles interpreters whose script is not a literal word.
func (c *Call) scriptUnnamed(t *program) string {
	args, next := t.arguments(c.words, 1)
	for _, a := range args {
		if a.option == "" {
			next = min(next, a.at)
		} else if !a.listed { // where the script is, is not known
			return c.literalTo(len(c.words))
		}
	}
	return c.literalTo(next + 1)
}

// folder returns a reason if a word that an interpreter may run is a directory.
func (c *Call) folder(words ...Word) string {
	for _, w := range words {
		if slices.ContainsFunc(c.s.In, func(dir string) bool { return paths.IsFolder(follow(dir, w.Text)) }) {
			return w.Text + " is a directory, and a file in it decides what runs"
		}
	}
	return ""
}

// runsProject holds the programs whose purpose is to run what files of a
// project say.
var runsProject = NameSet(`make gmake ninja cmake ctest meson scons bazel bazelisk buck2 just task rake mage invoke fab earthly dagger act
	npm npx pnpm pnpx yarn bun bunx deno jest vitest mocha ava gulp grunt nx turbo lerna nodemon
	cargo mvn mvnw gradle gradlew ant sbt lein mix rebar3 stack cabal dune dotnet swift flutter dart zig
	pytest py.test tox nox uv uvx poetry pipenv pdm hatch pre-commit lefthook overcommit husky
	bundle rspec rails composer phpunit artisan docker podman docker-compose vagrant direnv mise`)

// interpreters holds the names of the programs that run scripts.
var interpreters = sync.OnceValue(func() map[string]bool {
	return NameSet(strings.Join(slices.Collect(maps.Keys(scriptTable)), " "))
})
