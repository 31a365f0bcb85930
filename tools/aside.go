package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
)

// An Aside is something that was moved aside, since it decides what may run and a command had
// made it.
type Aside struct {
	Command  string
	From, To string // absolute
	// PutBack moves it back. It fails if something else is there by now.
	PutBack func() error
}

// Asides are those of a session that the user has not put back. The zero value is empty and
// ready to use.
type Asides struct {
	mu  sync.Mutex
	all []Aside // oldest first
}

// mostAsides bounds how many are kept.
const mostAsides = 1000

// Add adds asides.
func (a *Asides) Add(l []Aside) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, l...)
	a.all = slices.Delete(a.all, 0, max(0, len(a.all)-mostAsides))
}

// List returns them, oldest first, without those that are gone.
func (a *Asides) List() []Aside {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.all)
}

// PutBack puts those back that were moved from a path, or all if it is empty. Of several from
// one path it takes the newest. It returns what is back, and why the rest is not.
func (a *Asides) PutBack(path string) ([]Aside, error) {
	var back []Aside
	var errs []error
	seen := map[string]bool{}
	for _, m := range slices.Backward(a.List()) {
		if path != "" && m.From != path || seen[m.From] {
			continue
		}
		seen[m.From] = true
		err := m.PutBack()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("put back %s: %w", Shown(m.From), err))
			continue
		}
		if err == nil {
			back = append(back, m)
		}
		a.mu.Lock()
		a.all = slices.DeleteFunc(a.all, func(o Aside) bool { return o.To == m.To })
		a.mu.Unlock()
	}
	slices.Reverse(back)
	return back, errors.Join(errs...)
}
