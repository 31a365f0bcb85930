package names

import (
	"cmp"
	"slices"
	"strings"
)

// Match is a name that matches a query.
type Match struct {
	Name
	Root  string // the folder of its list
	Score int
}

// Ranking keeps the best matches. The zero value keeps none; see [NewRanking].
type Ranking struct {
	query Query
	most  int
	best  []Match // the best first
	more  bool
}

// NewRanking returns a ranking of at most so many matches of a query.
func NewRanking(q Query, most int) *Ranking { return &Ranking{query: q, most: most} }

// Add adds a name of a folder if it matches. bonus is added to its score.
func (r *Ranking) Add(root string, n *Name, bonus int) {
	score, ok := r.query.Score(n)
	if !ok {
		return
	}
	m := Match{*n, root, score + bonus}
	if len(r.best) == r.most {
		r.more = true
		if r.most == 0 || compare(m, r.best[r.most-1]) >= 0 {
			return
		}
		r.best = r.best[:r.most-1]
	}
	at, _ := slices.BinarySearchFunc(r.best, m, compare)
	r.best = slices.Insert(r.best, at, m)
}

// Best returns the best matches, the best first, and whether there are more.
func (r *Ranking) Best() (matches []Match, more bool) { return r.best, r.more }

// compare orders matches: the best first, then the shortest, then by name.
func compare(a, b Match) int {
	return cmp.Or(b.Score-a.Score, len(a.Rel)-len(b.Rel), strings.Compare(a.Rel, b.Rel), strings.Compare(a.Root, b.Root))
}
