package doctor

import (
	"context"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// programs checks for optional programs.
func (e *Examination) programs(ctx context.Context) {
	for _, p := range []struct{ name, without, fix string }{
		{"git", "changes by commands cannot be undone, and the model does not see version control", "install git"},
		{"bash", "commands run in sh", "install bash"},
	} {
		if v, ok := e.version(ctx, p.name); ok {
			e.add(p.name, Fine, "", "%s", v)
		} else {
			e.add(p.name, Lacking, p.fix, "not installed: %s", p.without)
		}
	}
	if v, ok := e.version(ctx, "rg"); ok {
		e.add("rg", Fine, "", "%s", v)
	}
}

// editors lists the installed editors. None is required.
func (e *Examination) editors(ctx context.Context) {
	var there []string
	for _, name := range []string{"nvim", "code", "hx", "zed", "emacs"} {
		if v, ok := e.version(ctx, name); ok {
			there = append(there, v)
		}
	}
	if len(there) == 0 {
		e.add("editors", Lacking, "see README.md for how to set one up", "none found on PATH; `emendo run` does not need one")
		return
	}
	e.add("editors", Fine, "", "%s", strings.Join(there, ", "))
}

// longestVersion limits the wait for a program's version.
const longestVersion = 3 * time.Second

// version returns the version line of a program on PATH. Programs inside the folder
// are not run.
func (e *Examination) version(ctx context.Context, name string) (string, bool) {
	env := sandbox.Environment(e.Environ, nil, []string{e.place.Dir})
	path := ""
	for _, v := range env {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			path = list
		}
	}
	for _, dir := range filepath.SplitList(path) {
		program := filepath.Join(dir, name)
		if _, err := exec.LookPath(program); err != nil {
			continue
		}
		said, err := sandbox.Run(ctx, sandbox.System(), sandbox.Command{Argv: []string{program, "--version"}, Dir: filepath.Dir(program), Env: env}, sandbox.Talk{Timeout: longestVersion, Most: 4 << 10})
		if err != nil || said.Exit != (sandbox.Exit{}) {
			continue
		}
		lines := slices.Collect(strings.Lines(string(said.Output)))
		if len(lines) == 0 {
			continue
		}
		line := strings.TrimSpace(lines[0])
		if !strings.Contains(strings.ToLower(line), strings.ToLower(name)) {
			line = name + " " + line
		}
		return line, true
	}
	return "", false
}

// languages lists the installed language servers, and the reasons why others are
// not used.
func (e *Examination) languages(context.Context) {
	if !e.settings.LanguageServers.Enabled {
		e.add("languages", Fine, "", "language servers are disabled (languageServers.enabled)")
		return
	}
	var absent []string
	for _, p := range e.Serves(e.settings) {
		folders := []string{e.place.Dir}
		name, path := filepath.Base(p.Name), p.Find(e.Environ, folders)
		inside := p.Inside(e.Environ, folders)
		switch {
		case path == "" && inside != "":
			e.add("languages", Lacking, "install it outside the folder", "%s at %s is not used because it is inside the folder", name, inside)
		case path == "":
			absent = append(absent, name)
		case p.NeedsSandbox(path) && e.level == sandbox.Open:
			e.add("languages", Lacking, "", "%s at %s is not used: it may run programs of the project, and no sandbox is available", name, path)
		default:
			e.add("languages", Fine, "", "%s at %s, for %s", name, path, strings.Join(slices.Sorted(maps.Keys(p.Languages)), " "))
		}
	}
	if len(absent) > 0 {
		e.add("languages", Fine, "", "not found: %s; see docs/language-servers.md", strings.Join(absent, ", "))
	}
}
