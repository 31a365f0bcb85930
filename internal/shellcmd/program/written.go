package program

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// A command line can write a script, or a build file, and run it at once.
// Nobody reads that file in between, so its text is treated as code in
// arguments.

// NoteWritten records files that the command line writes.
func (a *CommandLine) NoteWritten(paths []string) {
	if a.made == nil {
		a.made = map[string]bool{}
	}
	for _, path := range paths {
		a.made[path] = true
	}
}

// runsMade marks the call as opaque if it runs a file that the command line has
// written.
func (c *Call) runsMade() {
	if len(c.line.made) == 0 {
		return
	}
	if runsProject[c.name] {
		for path := range c.line.made {
			if manifests[filepath.Base(path)] {
				c.Evaluates(whyRunsWritten)
			}
		}
	}
	script := -1
	switch {
	case c.name == "." || c.name == "source":
		script = 1
	case HasName(shellNames, c.name):
		script = shellOptionsOf(c.words).end
	case interpreters()[c.name]:
		for i := range c.words[1:] {
			c.runsMadeAt(i + 1)
		}
	case strings.Contains(c.words[0].Text, "/"):
		script = 0
	}
	c.runsMadeAt(script)
}

func (c *Call) runsMadeAt(i int) {
	if i < 0 || i >= len(c.words) || !c.words[i].Known {
		return
	}
	for _, path := range c.s.In.Paths(c.words[i].Text) {
		if c.line.made[path] {
			c.Evaluates(whyRunsWritten)
		}
	}
}

const whyRunsWritten = "it runs what the command has just written"

// manifests holds the files that tell build tools what to run.
var manifests = NameSet("Makefile makefile GNUmakefile package.json justfile Justfile .justfile Taskfile.yml build.rs conftest.py Rakefile CMakeLists.txt")

// shellNames lists the shells that read files as scripts.
const shellNames = "sh bash dash ash zsh ksh mksh rbash yash osh ysh posh mrsh lksh oksh pdksh hush fish csh tcsh"

// readsProgram marks the call as opaque if it may read the text that it runs
// from its input, by the name of a file.
func (c *Call) readsProgram() {
	if !interpreters()[c.name] && !runsProject[c.name] {
		return
	}
	for i, w := range c.words[1:] {
		switch {
		case w.Known && inputName().MatchString(w.Text), w.Is("-f-", "-t-", "--file=-", "--makefile=-", "--justfile=-", "--taskfile=-"),
			w.Is("-") && c.words[i].Is("-f", "-E", "-t", "--file", "--makefile", "--justfile", "--taskfile", "--exec"):
			c.Evaluates(WhyRunsInput)
		}
	}
}

// inputName matches the paths under which a program finds its input.
var inputName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`/dev/(?:stdin|fd/)|/proc/[^/]*/fd/`)
})
