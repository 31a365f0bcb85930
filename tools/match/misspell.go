package match

import (
	"slices"
	"strings"
	"unicode"
)

const (
	longWord  = 6 // letters; in shorter words a slip may be another word
	maxSlips  = 3 // misspelled words in one passage
	wildWord  = 5 // a word that may be a long one with a letter lost
	maxChecks = 1 << 20
)

// misspelled searches line by line for a passage that differs only in swapped, lost
// or doubled letters of long words.
func (t *target) misspelled(old, new string, multiple bool) (Found, error) {
	t.index()
	o, n := parsePassage(old), parsePassage(new)
	if len(o.lines) == 0 {
		return Found{}, nil
	}
	pattern := make([]string, len(o.lines))
	for i, l := range o.lines {
		pattern[i] = skeleton(l)
	}
	keys := make([]string, len(t.solid))
	words := map[string]bool{}
	for i, l := range t.solid {
		keys[i] = skeleton(l.parsed)
		for _, tok := range l.tokens {
			words[tok.key] = true
		}
	}
	var places []int
	var meant map[string]string
	checks := 0
	for _, p := range search(keys, pattern) {
		m, ok := t.slipped(p, o, words, &checks)
		if checks > maxChecks {
			return Found{}, nil
		}
		if ok {
			places, meant = append(places, p), m
		}
	}
	if len(places) > 1 || len(places) == 0 {
		multiple = false // a misspelt passage must be unique
	}
	var slips []string
	for from, to := range meant {
		slips = append(slips, to+" as "+from)
	}
	slices.Sort(slips)
	return t.mergeAll(places, respell(o, meant), respell(n, meant), t.named+" was matched although it misspells "+strings.Join(slips, ", "), multiple)
}

// slipped compares o with the passage at place and returns the correct spelling of
// its misspelled words.
func (t *target) slipped(place int, o passage, words map[string]bool, checks *int) (map[string]string, bool) {
	meant := map[string]string{}
	for i, l := range o.lines {
		*checks++
		f := t.solid[place+i].tokens
		if len(f) != len(l.tokens) {
			return nil, false
		}
		for j, tok := range l.tokens {
			switch {
			case tok.key == f[j].key:
			case words[tok.key], !isSlip(tok.key, f[j].key), meant[tok.key] != "" && meant[tok.key] != f[j].key:
				return nil, false
			default:
				meant[tok.key] = f[j].key
			}
		}
	}
	return meant, len(meant) > 0 && len(meant) <= maxSlips
}

// respell corrects the spelling of words.
func respell(p passage, meant map[string]string) passage {
	lines := make([]parsed, len(p.lines))
	for i, l := range p.lines {
		l.tokens = slices.Clone(l.tokens)
		for j, tok := range l.tokens {
			if to, ok := meant[tok.key]; ok {
				l.tokens[j].text, l.tokens[j].key = to, to
			}
		}
		l.key = lineKey(l.tokens)
		lines[i] = l
	}
	return passage{lines, p.after}
}

// skeleton returns a line's key with a wildcard for every word that may be misspelled.
func skeleton(l parsed) string {
	tokens := slices.Clone(l.tokens)
	for i, t := range tokens {
		if t.word && len([]rune(t.key)) >= wildWord {
			tokens[i].key = "\x00"
		}
	}
	return lineKey(tokens)
}

// isSlip reports whether a word is another one with two letters swapped, one lost or
// one doubled, inside a long part of a name: not at its start or end, where a letter
// makes another name (header, headers).
func isSlip(typed, meant string) bool {
	a, b := []rune(typed), []rune(meant)
	p := 0
	for p < len(a) && p < len(b) && a[p] == b[p] {
		p++
	}
	if slices.ContainsFunc(b, unicode.IsDigit) {
		return false
	}
	start, end := stretch(b, min(p, len(b)-1))
	if end-start < longWord {
		return false
	}
	switch len(a) - len(b) {
	case 0:
		return p > start && p+1 < end && a[p] == b[p+1] && a[p+1] == b[p] && string(a[p+2:]) == string(b[p+2:])
	case -1: // lost; of a double letter, the second counts as lost
		return p > start && p < end-1 && string(a[p:]) == string(b[p+1:])
	case 1: // doubled; the second counts as extra
		if p == 0 || p >= len(b) || a[p] != a[p-1] || string(a[p+1:]) != string(b[p:]) {
			return false
		}
		start, end = stretch(b, p-1)
		return end-start >= longWord && p-1 > start && p < end
	}
	return false
}

// stretch returns the part of a name around letter i: the letters between camel-case
// humps and underscores.
func stretch(name []rune, i int) (start, end int) {
	starts := func(i int) bool {
		return name[i-1] == '_' || name[i] == '_' || unicode.IsUpper(name[i]) && !unicode.IsUpper(name[i-1])
	}
	for start = i; start > 0 && !starts(start); start-- {
	}
	for end = i + 1; end < len(name) && !starts(end); end++ {
	}
	return start, end
}
