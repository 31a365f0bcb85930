package reach

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
)

// A pathList collects paths while a command runs.
type pathList struct {
	mu  sync.Mutex
	all []string
}

func (p *pathList) add(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = append(p.all, path)
}

func (p *pathList) list() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.all...)
}

// Replaced returns the configuration files of git that another process replaced while
// the command ran. The command was ended then, since nothing protected the new files
// from it.
func (p *Profile) Replaced() []string {
	if p.replaced == nil {
		return nil
	}
	return p.replaced.list()
}

// settings is a configuration file of git as it was before a command.
type settings struct {
	path, text string
	mode       os.FileMode
}

// mostSettings bounds the size of a configuration file, in bytes.
const mostSettings = 1 << 20

// settingsOf returns the configuration files among the sealed paths.
func settingsOf(sealed []string) []settings {
	var l []settings
	for _, path := range sealed {
		if !strings.HasPrefix(filepath.Base(path), "config") || !paths.IsFile(path) {
			continue
		}
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		if text, whole := settingsText(path); whole {
			l = append(l, settings{path, text, info.Mode().Perm()})
		}
	}
	return l
}

// changed reports whether settings were added that can run programs or reach other
// files. The command may have added them after another process had replaced the file.
func (s settings) changed() bool {
	if !paths.IsFile(s.path) {
		return false
	}
	text, err := paths.ReadRegular(s.path, math.MaxInt64)
	if err != nil || string(text) == s.text {
		return false
	}
	were := gitdir.Reaching(s.text)
	return slices.ContainsFunc(gitdir.Reaching(string(text)), func(now string) bool { return !slices.Contains(were, now) })
}

// restore writes the old settings if the changed file has been moved aside.
func (s settings) restore() error {
	if paths.Exists(s.path) || !paths.Exists(filepath.Dir(s.path)) {
		return nil
	}
	return os.WriteFile(s.path, []byte(s.text), s.mode)
}
