// Package aside keeps what was moved aside since a command had made it, until the user puts it
// back. It does not know why something is moved.
package aside

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/internal/visible"
)

// A File is a file or folder that was moved aside: it decides what may run or what agents read,
// and a command had made it.
type File struct {
	Command  string
	From, To string // absolute
	// PutBack moves it back. It fails if something else is there by now.
	PutBack func() error
}

// Files are those of a session that the user has not put back. The zero value is empty and
// ready to use.
type Files struct {
	mu  sync.Mutex
	all []File // oldest first
}

// mostFiles bounds how many are kept.
const mostFiles = 1000

// Add adds files.
func (a *Files) Add(l []File) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, l...)
	a.all = slices.Delete(a.all, 0, max(0, len(a.all)-mostFiles))
}

func (a *Files) list() []File {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.all)
}

// PutBack puts those back that were moved from a path, or all if it is empty. Of several from
// one path it takes the newest. It returns what is back, and why the rest is not.
func (a *Files) PutBack(path string) ([]File, error) {
	var back []File
	var errs []error
	seen := map[string]bool{}
	for _, m := range slices.Backward(a.list()) {
		if path != "" && m.From != path || seen[m.From] {
			continue
		}
		seen[m.From] = true
		err := m.PutBack()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("put back %s: %w", visible.Escape(m.From), err))
			continue
		}
		if err == nil {
			back = append(back, m)
		}
		a.mu.Lock()
		a.all = slices.DeleteFunc(a.all, func(o File) bool { return o.To == m.To })
		a.mu.Unlock()
	}
	slices.Reverse(back)
	return back, errors.Join(errs...)
}
