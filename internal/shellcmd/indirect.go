package shellcmd

import (
	"maps"
	"runtime"
	"slices"

	"github.com/emendo-dev/emendo/internal/lazyregexp"
	"github.com/emendo-dev/emendo/internal/shellcmd/canonical"
	"github.com/emendo-dev/emendo/internal/shellcmd/program"
)

// Indirect returns why a command may run programs that its words do not name,
// so that nobody can inspect them in advance. It returns the empty string if
// the words name everything: programs of the system, code, and files by their
// paths. What such a file runs in turn does not count. dir is where the command
// runs, and env the environment set for it.
func Indirect(command, dir string, env map[string]string) string {
	return indirect(runtime.GOOS, command, dir, env)
}

func indirect(goos, command, dir string, env map[string]string) string {
	if goos == "windows" { // PowerShell is not parsed
		return program.WhyUntold
	}
	command = projectFolder.ReplaceAllString(command, ".")
	file, why := canonical.Parse(command)
	if file == nil {
		return why
	}
	why = ""
	a := newAnalyzer(nil)
	a.Called = func(c *program.Call) {
		if why == "" {
			why = c.RunsUnnamed()
		}
	}
	s := program.Scope{Source: command, In: program.Folders{dir}, Evaluable: evaluable(file)}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p := Part{NoProgram: true}
		a.Assign(&p, name, program.Word{Text: env[name], Source: env[name], Known: true}, s)
		a.Add(p)
	}
	a.statements(file.Stmts, s)
	for _, p := range a.parts {
		switch {
		case why != "":
			return why
		case p.Opaque != "" && p.Opaque != program.WhyInterprets:
			why = p.Opaque
		case len(p.Words) == 0 && !p.NoProgram:
			why = p.Why
		}
	}
	return why
}

// projectFolder matches the ways in which hooks name the directory they run in.
var projectFolder = lazyregexp.New(`\$(?:(?:GEMINI|CLAUDE|EMENDO)_(?:PROJECT_DIR|CWD)\b|PWD\b|\{(?:(?:GEMINI|CLAUDE|EMENDO)_(?:PROJECT_DIR|CWD)|PWD)(?::-\.)?\}|\(pwd\)|\(git rev-parse --show-toplevel\))`)
