package shellcmd

import (
	"path/filepath"
	"regexp"
	"strings"
)

// A command can write a script, or what a builder reads, and have it run at once.
// Nobody reads that file in between, so its text is as good as code in arguments.

// makes remembers a file that the command writes.
func (a *analyzer) makes(paths []string) {
	if a.made == nil {
		a.made = map[string]bool{}
	}
	for _, path := range paths {
		a.made[path] = true
	}
}

// runsMade says that the call runs a file that the command has written.
func (c *call) runsMade() {
	if len(c.made) == 0 {
		return
	}
	if runsProject[c.name] {
		for path := range c.made {
			if manifests[filepath.Base(path)] {
				c.evaluates(runsWritten)
			}
		}
	}
	script := -1
	switch {
	case c.name == "." || c.name == "source":
		script = 1
	case contains(shellNames, c.name):
		script = shellOptionsOf(c.words).end
	case interpreters()[c.name]:
		for i := range c.words[1:] {
			c.runsMadeAt(i + 1)
		}
	case strings.Contains(c.words[0].text, "/"):
		script = 0
	}
	c.runsMadeAt(script)
}

func (c *call) runsMadeAt(i int) {
	if i < 0 || i >= len(c.words) || !c.words[i].known {
		return
	}
	for _, path := range c.s.in.paths(c.words[i].text) {
		if c.made[path] {
			c.evaluates(runsWritten)
		}
	}
}

const runsWritten = "it runs what the command has just written"

// manifests are the files that say what builders run.
var manifests = set("Makefile makefile GNUmakefile package.json justfile Justfile .justfile Taskfile.yml build.rs conftest.py Rakefile CMakeLists.txt")

// shellNames are the shells that read files as scripts.
const shellNames = "sh bash dash ash zsh ksh mksh rbash yash osh ysh posh mrsh lksh oksh pdksh hush fish csh tcsh"

// readsProgram sees to a call that may read the text that it runs from what it is
// given, as from a file.
func (c *call) readsProgram() {
	if !interpreters()[c.name] && !runsProject[c.name] {
		return
	}
	for i, w := range c.words[1:] {
		switch {
		case w.known && inputName.MatchString(w.text), w.is("-f-", "-t-", "--file=-", "--makefile=-", "--justfile=-", "--taskfile=-"),
			w.is("-") && c.words[i].is("-f", "-E", "-t", "--file", "--makefile", "--justfile", "--taskfile", "--exec"):
			c.evaluates(runsInput)
		}
	}
}

// inputName matches the names under which a program finds its input.
var inputName = regexp.MustCompile(`/dev/(?:stdin|fd/)|/proc/[^/]*/fd/`)

// compilerName matches a compiler of some version or for some machine, as in
// x86_64-linux-gnu-gcc-12.
var compilerName = regexp.MustCompile(`^(?:[a-z0-9_.-]+-)?(gcc|g\+\+|c\+\+|cc|clang|clang\+\+|gfortran)(?:-[0-9.]+)?$`)

// commonName is the name that the tables have a shell or an interpreter by: without
// the number of its version, as in python3.13 and ksh93.
func (a *analyzer) commonName(name string) string {
	if _, wraps := wrappers[name]; wraps || a.programs[name] != nil {
		return name
	}
	if short := strings.TrimRight(strings.TrimSuffix(name, "-static"), "0123456789.-"); interpreters()[short] || short != "" && contains(shellNames, short) {
		return short
	}
	if m := compilerName.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return name
}
