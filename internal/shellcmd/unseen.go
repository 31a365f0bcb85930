package shellcmd

import (
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Unseen says why a command may run what its words do not name, so that nobody
// can look at that beforehand. It is empty when they name it: programs of the
// system, code, and files by their paths. What such a file runs in turn does not
// count. dir is where the command runs, env what is set for it.
func Unseen(command, dir string, env map[string]string) string {
	return unseen(runtime.GOOS, command, dir, env)
}

func unseen(goos, command, dir string, env map[string]string) string {
	if goos == "windows" { // PowerShell's grammar is not known here
		return untold
	}
	command = projectFolder.ReplaceAllString(command, ".")
	file, why := parse(command)
	if file == nil {
		return why
	}
	why = ""
	a := &analyzer{programs: table(), work: maxNested}
	a.called = func(c *call) {
		if why == "" {
			why = c.runsUnnamed()
		}
	}
	s := scope{source: command, in: folders{dir}, evaluable: evaluable(file)}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p := Part{NoProgram: true}
		a.assigned(&p, name, word{text: env[name], source: env[name], known: true}, s)
		a.add(p)
	}
	a.statements(file.Stmts, s)
	for _, p := range a.parts {
		switch {
		case why != "":
			return why
		case p.Opaque != "" && p.Opaque != interprets:
			why = p.Opaque
		case len(p.Words) == 0 && !p.NoProgram:
			why = p.Why
		}
	}
	return why
}

// projectFolder are the ways in which hooks name the folder that they run in.
var projectFolder = regexp.MustCompile(`\$(?:(?:GEMINI|CLAUDE|EMENDO)_(?:PROJECT_DIR|CWD)\b|PWD\b|\{(?:(?:GEMINI|CLAUDE|EMENDO)_(?:PROJECT_DIR|CWD)|PWD)(?::-\.)?\}|\(pwd\)|\(git rev-parse --show-toplevel\))`)

// runsUnnamed says why a call runs what its words do not name.
func (c *call) runsUnnamed() string {
	switch {
	case runsProject[c.name], c.name == "go" && len(c.words) > 1 && c.words[1].is("run", "test", "generate", "tool"):
		return c.name + " runs commands from project files"
	case c.name == "cd" || c.name == "pushd":
		return c.literalTo(len(c.words))
	case c.name == "." || c.name == "source":
		return c.literalTo(2)
	case contains(shellNames, c.name):
		if o := shellOptionsOf(c.words); !o.text { // else its text is looked through
			return c.literalTo(o.end + 1)
		}
	case interpreters()[c.name]:
		return c.scriptUnnamed(c.programs[c.name])
	}
	return ""
}

// literalTo says that not all of the first words are literal.
func (c *call) literalTo(n int) string {
	n = min(n, len(c.words))
	if len(leading(c.words)) < n {
		return "what it runs is not a literal word"
	}
	for _, w := range c.words[:n] {
		if c.s.filled != "" && strings.Contains(w.text, c.s.filled) {
			return runsFilled
		}
	}
	return ""
}

// scriptUnnamed is of interpreters: the script has to be a literal word, and no
// folder, of which a file says what is run.
func (c *call) scriptUnnamed(t *program) string {
	args, next := t.arguments(c.words, 1)
	for _, a := range args {
		switch {
		case a.option != "" && !a.listed: // where the script stands is not known
			return c.literalTo(len(c.words))
		case a.option == "-m" && a.value.is(strings.Fields("pytest unittest nox tox invoke")...):
			return a.value.text + " runs commands from project files"
		case a.option == "":
			next = min(next, a.at)
		}
	}
	if next < len(c.words) && slices.ContainsFunc(c.s.in, func(dir string) bool { return isFolder(follow(dir, c.words[next].text)) }) {
		return c.words[next].text + " is a folder, of which a file says what is run"
	}
	return c.literalTo(next + 1)
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// runsProject are the programs whose purpose it is to run what files of a project
// say.
var runsProject = set(`make gmake ninja cmake ctest meson scons bazel bazelisk buck2 just task rake mage invoke fab earthly dagger act
	npm npx pnpm pnpx yarn bun bunx deno jest vitest mocha ava gulp grunt nx turbo lerna nodemon
	cargo mvn mvnw gradle gradlew ant sbt lein mix rebar3 stack cabal dune dotnet swift flutter dart zig
	pytest py.test tox nox uv uvx poetry pipenv pdm hatch pre-commit lefthook overcommit husky
	bundle rspec rails composer phpunit artisan docker podman docker-compose vagrant direnv mise`)

// interpreters are the names of the programs that run scripts.
var interpreters = sync.OnceValue(func() map[string]bool {
	var names []string
	for l := range scriptTable {
		names = append(names, l)
	}
	return set(strings.Join(names, " "))
})
