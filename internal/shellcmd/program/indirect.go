package program

import (
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/paths"
)

// RunsUnnamed returns why the call runs programs that its words do not name.
func (c *invocation) RunsUnnamed() string {
	switch {
	case runsProject[c.name], c.name == "go" && len(c.words) > 1 && c.words[1].Is("run", "test", "generate", "tool"):
		return c.name + " runs commands from project files"
	case c.name == "cd" || c.name == "pushd":
		return c.literalTo(len(c.words))
	case c.name == "." || c.name == "source":
		return c.literalTo(2)
	case HasName(shellNames, c.name):
		if o := shellOptionsOf(c.words); !o.text { // else its text is analyzed
			return c.literalTo(o.end + 1)
		}
	case interpreters()[c.name]:
		return c.scriptUnnamed(table()[c.name])
	}
	return ""
}

// literalTo returns a reason unless the first n words are literal.
func (c *invocation) literalTo(n int) string {
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

// scriptUnnamed handles interpreters: the script has to be a literal word and
// not a directory.
func (c *invocation) scriptUnnamed(t *program) string {
	args, next := t.arguments(c.words, 1)
	for _, a := range args {
		switch {
		case a.option != "" && !a.listed: // where the script is, is not known
			return c.literalTo(len(c.words))
		case a.option == "-m" && a.value.Is(strings.Fields("pytest unittest nox tox invoke")...):
			return a.value.Text + " runs commands from project files"
		case a.option == "":
			next = min(next, a.at)
		}
	}
	if next < len(c.words) && slices.ContainsFunc(c.s.In, func(dir string) bool { return paths.IsFolder(follow(dir, c.words[next].Text)) }) {
		return c.words[next].Text + " is a directory, and a file in it decides what runs"
	}
	return c.literalTo(next + 1)
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
	var names []string
	for l := range scriptTable {
		names = append(names, l)
	}
	return NameSet(strings.Join(names, " "))
})
