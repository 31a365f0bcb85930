package lsp

import (
	"cmp"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
)

// focusKeeper knows where the user is: as the client tells it, or, from one that
// never does, as its requests let infer.
type focusKeeper struct {
	mu       sync.Mutex
	told     *agent.Focus
	inferred agent.Focus
}

type contextParams struct {
	Active *struct {
		URI        string      `json:"uri"`
		Selections []ide.Range `json:"selections"`
	} `json:"activeEditor"`
	Open []openEditor `json:"openEditors"`
}

type openEditor struct {
	URI         string `json:"uri"`
	LastFocused any    `json:"lastFocused"` // a time, or anything that grows with it
}

// didChangeContext takes over what the client tells.
func (s *server) didChangeContext(p contextParams) error {
	slices.SortStableFunc(p.Open, func(a, b openEditor) int { return -compareTimes(a.LastFocused, b.LastFocused) })
	f := &agent.Focus{}
	if p.Active != nil {
		f.Active, f.Selections = ide.ParseURI(p.Active.URI), p.Active.Selections
	}
	for _, o := range p.Open {
		f.Open = append(f.Open, ide.ParseURI(o.URI))
	}
	s.focus.mu.Lock()
	defer s.focus.mu.Unlock()
	s.focus.told = f
	return nil
}

// compareTimes orders times of one form; others are equal.
func compareTimes(a, b any) int {
	switch a := a.(type) {
	case string:
		b, _ := b.(string)
		return cmp.Compare(a, b)
	case float64:
		b, _ := b.(float64)
		return cmp.Compare(a, b)
	}
	if b != nil {
		return -1
	}
	return 0
}

// now is the focus at this moment.
func (k *focusKeeper) now() agent.Focus {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.told != nil {
		return *k.told
	}
	f := k.inferred
	f.Open = slices.Clone(f.Open)
	f.Inferred = true
	return f
}

// seen notes that the client asked about a range of a document.
func (k *focusKeeper) seen(u ide.URI, r ide.Range) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.front(u)
	k.inferred.Active, k.inferred.Selections = u, []ide.Range{r}
}

// opened notes that the client opened a document. Helix 25.07 may ask about one
// before it opens it.
func (k *focusKeeper) opened(u ide.URI) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.front(u)
	if k.inferred.Active != u {
		k.inferred.Active, k.inferred.Selections = u, nil
	}
}

func (k *focusKeeper) closed(u ide.URI) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f := &k.inferred
	f.Open = slices.DeleteFunc(f.Open, func(o ide.URI) bool { return o == u })
	if f.Active == u {
		f.Active, f.Selections = "", nil
	}
}

// front makes a document the most recently used one; k.mu is held.
func (k *focusKeeper) front(u ide.URI) {
	f := &k.inferred
	if len(f.Open) > 0 && f.Open[0] == u {
		return
	}
	f.Open = slices.DeleteFunc(f.Open, func(o ide.URI) bool { return o == u })
	f.Open = slices.Insert(f.Open, 0, u)
}
