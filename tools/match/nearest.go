package match

import (
	"fmt"
	"strings"
)

const (
	nearestOld   = 400 // lines of old that are compared
	nearestHits  = 64  // places of one line or word that count
	nearestWords = 2000
)

// nearest returns the first line, from zero, and the number of lines of the passage
// that is most similar to o. Lines in both vote for its position, rare ones with
// more weight; words of other lines vote too.
func (t *target) nearest(o passage) (from, count int) {
	t.index()
	if len(t.solid) == 0 {
		return 0, len(t.lines)
	}
	votes := map[int]float64{}
	for i, l := range o.lines[:min(len(o.lines), nearestOld)] {
		hits := t.byKey[l.key]
		for _, p := range hits[:min(len(hits), nearestHits)] {
			votes[p-i] += float64(len(l.key)) / float64(len(hits))
		}
	}
	t.voteByWords(o, votes)
	best, most := 0, 0.0
	for at, v := range votes {
		if v > most || v == most && at < best {
			best, most = at, v
		}
	}
	first := min(max(best, 0), len(t.solid)-1)
	last := min(first+max(len(o.lines), 1)-1, len(t.solid)-1)
	return t.solid[first].no, t.solid[last].no - t.solid[first].no + 1
}

// voteByWords lets the words of lines without an equal in the text vote.
func (t *target) voteByWords(o passage, votes map[int]float64) {
	places := map[string][]int{}
	for _, l := range o.lines[:min(len(o.lines), nearestOld)] {
		if len(t.byKey[l.key]) > 0 {
			continue
		}
		for _, tok := range l.tokens {
			if tok.word && len(places) < nearestWords {
				places[tok.key] = nil
			}
		}
	}
	for p, l := range t.solid {
		for _, tok := range l.tokens {
			hits, wanted := places[tok.key]
			if n := len(hits); wanted && n < nearestHits && (n == 0 || hits[n-1] != p) {
				places[tok.key] = append(hits, p)
			}
		}
	}
	for i, l := range o.lines[:min(len(o.lines), nearestOld)] {
		if len(t.byKey[l.key]) > 0 {
			continue
		}
		for _, tok := range l.tokens {
			hits := places[tok.key]
			for _, p := range hits {
				votes[p-i] += float64(len(tok.key)) / float64(len(hits)*len(l.tokens))
			}
		}
	}
}

// difference describes where o first differs from the passage that begins at a
// line. It is empty if there is nothing to compare.
func (t *target) difference(no int, o passage) string {
	place := -1
	for p, s := range t.solid {
		if s.no == no {
			place = p
			break
		}
	}
	if place < 0 {
		return ""
	}
	for i, l := range o.lines {
		if place+i >= len(t.solid) {
			return fmt.Sprintf("The file ends there, but %s continues with: %s", t.named, shorten(l.trimmedText()))
		}
		f := t.solid[place+i]
		if f.key == l.key {
			continue
		}
		a, b := firstDifference(f.parsed, l)
		return fmt.Sprintf("Line %d has %q where %s has %q.", f.no+1, shorten(a), t.named, shorten(b))
	}
	return ""
}

// firstDifference returns the tokens in which two lines differ, as each has them,
// with the token before.
func firstDifference(f, o parsed) (inFile, inOld string) {
	i, a, b := 0, len(f.tokens), len(o.tokens)
	for i < a && i < b && f.tokens[i].key == o.tokens[i].key {
		i++
	}
	for a > i && b > i && f.tokens[a-1].key == o.tokens[b-1].key {
		a, b = a-1, b-1
	}
	from := max(0, i-1)
	return joined(f.tokens[from:a]), joined(o.tokens[from:b])
}

// trimmedText returns the line without its indent and trailing white space.
func (p parsed) trimmedText() string { return joined(p.tokens) }

func joined(tokens []token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 {
			b.WriteString(t.gap)
		}
		b.WriteString(t.text)
	}
	return b.String()
}
