package rewind

import (
	"sync"

	"github.com/emendo-dev/emendo/ide"
)

// Meanwhile notes which files of a workspace the editor saves and emendo itself writes while
// commands run, since those changes are not the commands'.
type Meanwhile struct {
	mu   sync.Mutex
	open map[*window]bool
}

// window are the texts that files were given since it was opened, by path; nil for no file.
type window map[string]*string

// NewMeanwhile follows what is saved in a workspace.
func NewMeanwhile(w *ide.Workspace) *Meanwhile {
	m := &Meanwhile{open: map[*window]bool{}}
	w.Watch(func(e ide.Event) {
		if e.Kind == ide.Saved && e.After.Path != "" {
			m.note(e.After.Path, func() *string { return new(e.After.Text.String()) })
		}
	})
	return m
}

// note notes the text of a file, if anyone wants to know it.
func (m *Meanwhile) note(path string, text func() *string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.open) == 0 {
		return
	}
	is := text()
	for w := range m.open {
		(*w)[path] = is
	}
}

// begin opens a window, for [Meanwhile.end].
func (m *Meanwhile) begin() *window {
	w := &window{}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open[w] = true
	return w
}

// end closes a window and returns what is in it.
func (m *Meanwhile) end(w *window) window {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.open, w)
	return *w
}
