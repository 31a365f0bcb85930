package doctor

import (
	"context"
	"errors"
	"maps"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/doctor/editors"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// programs checks for optional programs.
func (e *Examination) programs(ctx context.Context) {
	for _, p := range []struct{ name, without, fix string }{
		{"git", "changes by commands cannot be undone, and the model does not see version control", "install git"},
		{"bash", "commands run in sh", "install bash"},
	} {
		if v, ok := e.version(ctx, p.name); ok {
			e.add(p.name, auth.Fine, "", "%s", v)
		} else {
			e.add(p.name, auth.Lacking, p.fix, "not installed: %s", p.without)
		}
	}
	if v, ok := e.version(ctx, "rg"); ok {
		e.add("rg", auth.Fine, "", "%s", v)
	}
}

// editors reports how emendo is set up in the installed editors. None is required.
func (e *Examination) editors(ctx context.Context) {
	found := editors.Find(ctx, editors.Machine{
		OS: runtime.GOOS, Home: e.Home, Env: e.Env, Path: filepath.SplitList(e.path()), Version: e.printed, Avoid: e.inside,
	})
	if len(found) == 0 {
		e.add("editors", auth.Lacking, "see README.md for how to set one up", "none found; `emendo run` does not need one")
		return
	}
	for _, x := range found {
		v, text := auth.Fine, x.How
		switch {
		case x.Problem != "":
			v, text = auth.Lacking, x.Problem
		case !x.SetUp:
			text = "emendo is not set up in it"
		}
		name := strings.TrimSpace(x.Name + " " + x.Version)
		e.add("editors", v, x.Fix, "%s: %s", name, text)
		e.found[len(e.found)-1].Editor = &x
	}
	if !slices.ContainsFunc(found, func(x editors.Editor) bool { return x.SetUp }) {
		e.add("editors", auth.Lacking, "see README.md", "emendo is not set up in any editor; `emendo run` does not need one")
	}
}

// inside reports whether a program is in the current folder, which must not be able to
// have a program started.
func (e *Examination) inside(program string) bool {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return paths.Within(program, e.place.Dir)
}

// longestVersion limits the wait for a program's version.
const longestVersion = 3 * time.Second

// environment returns the environment of programs that are asked for their version. It
// has no folder inside the current one on the search path.
func (e *Examination) environment() []string {
	env := sandbox.Environment(e.Environ, nil, []string{e.place.Dir})
	return append(env, "QT_QPA_PLATFORM=offscreen") // Kate does not print its version without a display
}

// path returns the search path of programs.
func (e *Examination) path() string {
	path := ""
	for _, v := range e.environment() {
		if list, ok := strings.CutPrefix(v, "PATH="); ok {
			path = list
		}
	}
	return path
}

// printed returns what a program prints as its version.
func (e *Examination) printed(ctx context.Context, program string) (string, error) {
	said, err := sandbox.Run(ctx, sandbox.System(), sandbox.Command{Argv: []string{program, "--version"}, Dir: filepath.Dir(program), Env: e.environment()}, sandbox.Talk{Timeout: longestVersion, Most: 4 << 10})
	if err == nil && said.Exit != (sandbox.Exit{}) {
		err = errors.New("it failed")
	}
	return string(said.Output), err
}

// version returns the version line of a program on PATH. Programs inside the folder
// are not run.
func (e *Examination) version(ctx context.Context, name string) (string, bool) {
	for _, dir := range filepath.SplitList(e.path()) {
		program := filepath.Join(dir, name)
		if _, err := exec.LookPath(program); err != nil {
			continue
		}
		text, err := e.printed(ctx, program)
		line, _, _ := strings.Cut(text, "\n")
		if err != nil || line == "" {
			continue
		}
		line = strings.TrimSpace(line)
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
		e.add("languages", auth.Fine, "", "language servers are disabled (languageServers.enabled)")
		return
	}
	var absent []string
	for _, p := range e.Serves(e.settings) {
		folders := []string{e.place.Dir}
		name, path := filepath.Base(p.Name), p.Find(e.Environ, folders)
		inside := p.Inside(e.Environ, folders)
		switch {
		case path == "" && inside != "":
			e.add("languages", auth.Lacking, "install it outside the folder", "%s at %s is not used because it is inside the folder", name, inside)
		case path == "":
			absent = append(absent, name)
		case p.NeedsSandbox(path) && e.level == sandbox.Open:
			e.add("languages", auth.Lacking, "", "%s at %s is not used: it may run programs of the project, and no sandbox is available", name, path)
		default:
			e.add("languages", auth.Fine, "", "%s at %s, for %s", name, path, strings.Join(slices.Sorted(maps.Keys(p.Languages)), " "))
		}
	}
	if len(absent) > 0 {
		e.add("languages", auth.Fine, "", "not found: %s; see docs/language-servers.md", strings.Join(absent, ", "))
	}
}
