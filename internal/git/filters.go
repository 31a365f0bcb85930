package git

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
)

// ErrOpenSettings reports that a repository's settings include a file of the
// workspace, which may change at any moment and name other programs than those
// that were switched off.
var ErrOpenSettings = errors.New("git's settings include a file in the workspace, which commands can change")

// asked matches the settings that name filters and further files of settings.
const asked = `^(filter\..*\.(clean|smudge|process|required)|include(if\..*)?\.path)$`

// WithoutFilters returns git for use in the repository of a directory. There it
// would run programs that the repository configures as filters, to see whether
// files have changed. They are switched off by name. The error is
// [ErrOpenSettings] if the names may change.
func (p Program) WithoutFilters(ctx context.Context, dir string) (Program, error) {
	p.without = nil
	out, err := p.Run(ctx, dir, nil, "config", "--null", "--show-origin", "--get-regexp", asked)
	if ExitCode(err) == 1 { // no match
		return p, nil
	}
	if err != nil {
		return p, err
	}
	var filters []string
	tree := ""
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		name, value, _ := strings.Cut(fields[i+1], "\n")
		if strings.HasPrefix(name, "filter.") {
			filters = append(filters, name)
			continue
		}
		if tree == "" {
			top, err := p.Run(ctx, dir, nil, "rev-parse", "--show-toplevel")
			if err != nil {
				return p, err
			}
			tree = strings.TrimSuffix(string(top), "\n")
		}
		if file := p.included(tree, strings.TrimPrefix(fields[i], "file:"), value); p.isOpen(tree, file) {
			return p, fmt.Errorf("%w: %s", ErrOpenSettings, file)
		}
	}
	for n, name := range filters {
		value := ""
		if strings.HasSuffix(name, ".required") {
			value = "false"
		}
		p.without = append(p.without, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, name), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
	}
	p.without = append(p.without, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(filters)))
	return p, nil
}

// included returns the absolute path of a file that an entry of a settings file
// includes. Git names its own files relative to the top of the work tree.
func (p Program) included(tree, origin, value string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		for _, v := range p.env {
			if home, ok := strings.CutPrefix(v, "HOME="); ok {
				return filepath.Join(home, rest)
			}
		}
	}
	if filepath.IsAbs(value) {
		return value
	}
	if !filepath.IsAbs(origin) {
		origin = filepath.Join(tree, origin)
	}
	return filepath.Join(filepath.Dir(origin), value)
}

// isOpen reports whether a file is in the work tree or the workspace but not in
// .git, by its name or with links resolved: a link can be changed, too.
func (p Program) isOpen(tree, file string) bool {
	return slices.ContainsFunc(append(slices.Clone(p.folders), tree), func(folder string) bool {
		return holds(folder, file) || holds(paths.Resolve(folder), paths.Resolve(file))
	})
}

func holds(folder, file string) bool {
	rel, ok := paths.CutFolder(file, folder)
	return ok && !slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(name string) bool { return strings.EqualFold(name, ".git") })
}
