package redact

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A Secret is a value that must not be shown.
type Secret struct {
	Name  string // replaces the value, in brackets
	Value string
}

// Shortest is the minimum length of a secret, in bytes. Hiding shorter ones would
// only make text unreadable.
const Shortest = 8

// A Redactor removes the secrets that it knows. It is safe for concurrent use. A nil
// Redactor knows none.
type Redactor struct {
	learning sync.Mutex
	secrets  []Secret // guarded by learning
	now      atomic.Pointer[needles]
}

// needles are all secrets in all encodings. They are immutable.
type needles struct {
	all     []needle
	from    [256][]needle // by first byte, the longest first
	longest int           // bytes of the longest
}

// A needle is a secret in one encoding.
type needle struct {
	text, instead string
}

// New returns a redactor that knows the secrets, except those that are too short.
func New(secrets ...Secret) *Redactor {
	r := &Redactor{}
	r.Learn(secrets...)
	return r
}

// Learn adds secrets.
func (r *Redactor) Learn(secrets ...Secret) {
	if r == nil {
		return
	}
	r.learning.Lock()
	defer r.learning.Unlock()
	for _, s := range secrets {
		if !slices.Contains(r.secrets, s) { // a file of keys is read repeatedly
			r.secrets = append(r.secrets, s)
		}
	}
	r.now.Store(needlesOf(r.secrets))
}

func needlesOf(secrets []Secret) *needles {
	l := &needles{}
	seen := map[string]bool{}
	for _, s := range secrets {
		if len(s.Value) < Shortest || placeholder(s.Value) {
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

var none needles

// needles returns the known needles.
func (r *Redactor) needles() *needles {
	if r == nil {
		return &none
	}
	return r.now.Load()
}

// Known replaces the known secrets in a text, and nothing else.
func (r *Redactor) Known(s string) string { return r.needles().hide(s) }

func (l *needles) hide(s string) string {
	if len(l.all) == 0 {
		return s
	}
	var b strings.Builder
	kept := 0 // what is before that is in b
	for i := 0; i < len(s); {
		n, ok := l.needleAt(s[i:])
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

// needleAt returns the needle that s begins with.
func (l *needles) needleAt(s string) (needle, bool) {
	for _, n := range l.from[s[0]] {
		if strings.HasPrefix(s, n.text) {
			return n, true
		}
	}
	return needle{}, false
}

// Found returns the replacements that Known would make in a text.
func (r *Redactor) Found(s string) []string {
	var found []string
	for _, n := range r.needles().all {
		if !slices.Contains(found, n.instead) && strings.Contains(s, n.text) {
			found = append(found, n.instead)
		}
	}
	return found
}

// Piece is Known for a part of a longer text: it also replaces parts of a secret at
// its ends, and a text that is itself part of a secret.
func (r *Redactor) Piece(s string) string {
	l := r.needles()
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

// overlap returns how many bytes at the end of a are a proper prefix of b.
func overlap(a, b string) int {
	for k := min(len(a), len(b)) - 1; k > 0; k-- {
		if a[len(a)-k:] == b[:k] {
			return k
		}
	}
	return 0
}

// Text replaces the known secrets and everything that looks like one.
func (r *Redactor) Text(s string) string { return hideLikely(r.Known(s)) }
