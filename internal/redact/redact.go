package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Secret is a value that may not be shown.
type Secret struct {
	Name  string // what is written in its place, in brackets
	Value string
}

// Shortest is the length, in bytes, from which on a value is taken for a
// secret: to hide shorter ones would only make text unreadable.
const Shortest = 8

// A Redactor knows some secrets. It may be used by several goroutines at once.
// A nil Redactor knows none.
type Redactor struct {
	learning sync.Mutex
	secrets  []Secret // guarded by learning
	now      atomic.Pointer[needles]
}

// needles are all secrets in all their encodings. They do not change.
type needles struct {
	all     []needle
	from    [256][]needle // by their first byte, the longest first
	longest int           // bytes of the longest
}

// needle is a secret in one encoding.
type needle struct {
	text, instead string
}

// New makes a redactor that knows the secrets; those that are too short are
// passed over.
func New(secrets ...Secret) *Redactor {
	r := &Redactor{}
	r.Learn(secrets...)
	return r
}

// Learn has the redactor know more secrets from now on.
func (r *Redactor) Learn(secrets ...Secret) {
	if r == nil {
		return
	}
	r.learning.Lock()
	defer r.learning.Unlock()
	for _, s := range secrets {
		if !slices.Contains(r.secrets, s) { // a file of keys is read again and again
			r.secrets = append(r.secrets, s)
		}
	}
	r.now.Store(needlesOf(r.secrets))
}

func needlesOf(secrets []Secret) *needles {
	l := &needles{}
	seen := map[string]bool{}
	for _, s := range secrets {
		if len(s.Value) < Shortest {
			continue
		}
		for _, text := range encodings(s.Value) {
			if !seen[text] {
				seen[text] = true
				l.all = append(l.all, needle{text, "[" + s.Name + "]"})
				l.longest = max(l.longest, len(text))
			}
		}
	}
	slices.SortStableFunc(l.all, func(a, b needle) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, n := range l.all {
		l.from[n.text[0]] = append(l.from[n.text[0]], n)
	}
	return l
}

// needles are those that the redactor knows; false when there are none.
func (r *Redactor) needles() (*needles, bool) {
	if r == nil {
		return nil, false
	}
	l := r.now.Load()
	return l, len(l.all) > 0
}

// Known takes the known secrets out of a text, and leaves everything else as
// it is.
func (r *Redactor) Known(s string) string {
	l, ok := r.needles()
	if !ok {
		return s
	}
	return l.hide(s)
}

func (l *needles) hide(s string) string {
	var b strings.Builder
	kept := 0 // what is before that is in b
	for i := 0; i < len(s); {
		n, ok := l.at(s[i:])
		if !ok {
			i++
			continue
		}
		b.WriteString(s[kept:i])
		b.WriteString(n.instead)
		i += len(n.text)
		kept = i
	}
	if kept == 0 {
		return s
	}
	b.WriteString(s[kept:])
	return b.String()
}

// at is the needle that s begins with.
func (l *needles) at(s string) (needle, bool) {
	for _, n := range l.from[s[0]] {
		if strings.HasPrefix(s, n.text) {
			return n, true
		}
	}
	return needle{}, false
}

// Found are the texts that Known puts in the place of the secrets in a text.
func (r *Redactor) Found(s string) []string {
	l, ok := r.needles()
	if !ok {
		return nil
	}
	var found []string
	for _, n := range l.all {
		if !slices.Contains(found, n.instead) && strings.Contains(s, n.text) {
			found = append(found, n.instead)
		}
	}
	return found
}

// Piece is Known for a text that was cut out of a longer one: pieces of a
// secret that the cut has left at its ends, or of which it consists, are taken
// out too.
func (r *Redactor) Piece(s string) string {
	l, ok := r.needles()
	if !ok {
		return s
	}
	s = l.hide(s)
	for _, n := range l.all {
		if len(s) >= Shortest && strings.Contains(n.text, s) {
			return n.instead
		}
		if k := overlap(n.text, s); k >= Shortest {
			s = n.instead + s[k:]
		}
		if k := overlap(s, n.text); k >= Shortest {
			s = s[:len(s)-k] + n.instead
		}
	}
	return s
}

// overlap is how many bytes at the end of a are the beginning of b, all of
// neither.
func overlap(a, b string) int {
	for k := min(len(a), len(b)) - 1; k > 0; k-- {
		if a[len(a)-k:] == b[:k] {
			return k
		}
	}
	return 0
}

// Text takes out the known secrets and all that looks like one.
func (r *Redactor) Text(s string) string { return looks(r.Known(s)) }
