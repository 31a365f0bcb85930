package ignore

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
)

// UserExcludes returns the text of the user's rules for all repositories: of the
// file that core.excludesFile names in the user's git configuration, or else of
// git/ignore in the folder config, which defaults to .config in home. A missing file
// has no rules. The configuration of repositories, which is not trusted, is not
// read, nor are files that the user's configuration includes.
func UserExcludes(home, config string) (string, error) {
	if config == "" {
		config = filepath.Join(home, ".config")
	}
	file := filepath.Join(config, "git", "ignore")
	for _, path := range []string{filepath.Join(config, "git", "config"), filepath.Join(home, ".gitconfig")} {
		text, err := readUsers(path)
		if err != nil {
			return "", err
		}
		if named, ok := excludesFile(text); ok {
			file = named
			if rest, ok := strings.CutPrefix(named, "~/"); ok {
				file = filepath.Join(home, rest)
			}
		}
	}
	if !filepath.IsAbs(file) {
		return "", nil // git looks for it in its working directory
	}
	return readUsers(file)
}

// readUsers reads one of the user's files. A missing one has no text.
func readUsers(path string) (string, error) {
	b, err := paths.ReadRegular(path, Limit+1)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, paths.ErrNotRegular):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read the user's git ignore rules: %w", err)
	case len(b) > Limit:
		return "", fmt.Errorf("read the user's git ignore rules: %s exceeds %d KiB", path, Limit>>10)
	}
	return string(b), nil
}

// excludesFile returns the last value of core.excludesFile in a git configuration.
func excludesFile(text string) (value string, ok bool) {
	for _, s := range gitdir.ParseConfig(text) {
		if s.Section == "core" && !s.Named && s.Key == "excludesfile" {
			value, ok = s.Value, true
		}
	}
	return value, ok
}
