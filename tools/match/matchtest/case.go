package matchtest

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
)

// Case is one garbled edit and its right outcomes.
type Case struct {
	Class    string
	File     string // name of the sample that Text was made from
	Text     string
	Old, New string
	Multiple bool
	Right    []string // acceptable results
	Refuse   bool     // a refusal is acceptable
	plain    string   // new, not garbled
	Line     int      // of the intended passage, from one; may be zero
}

// Class is one way to garble.
type Class struct {
	Name string
	Doc  string // what is done, and why more than one outcome is right where it is
	make func(*maker) (Case, bool)
}

// Classes returns all ways to garble: first those that leave the meaning clear, then
// the others.
func Classes() []Class { return slices.Concat(understood(), doubtful()) }

// Generate returns n cases of every class, the same for the same seed.
func Generate(seed uint64, n int) []Case {
	var cases []Case
	for _, class := range Classes() {
		h := fnv.New64a()
		h.Write([]byte(class.Name))
		m := &maker{rand: rand.New(rand.NewPCG(seed, h.Sum64()))}
		for made, tries := 0, 0; made < n && tries < 400*n; tries++ {
			c, ok := class.make(m)
			c.Class = class.Name
			if !ok || !c.literally() {
				continue
			}
			cases = append(cases, c)
			made++
		}
	}
	return cases
}

// literally adds the outcomes of the rule that an exact quote is replaced literally:
// a garbled quote may happen to be exact. It reports whether the case is valid; it is
// not if it should be refused but is exact.
func (c *Case) literally() bool {
	text, old, new := c.Text, strings.ReplaceAll(c.Old, "\r\n", "\n"), strings.ReplaceAll(c.New, "\r\n", "\n")
	crlf := strings.Contains(text, "\r\n")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	n := 0
	if old != "" {
		n = strings.Count(text, old)
	}
	switch {
	case n == 0 || c.Multiple:
		return len(c.Right) > 0 || count(text, old) != 1 || old == ""
	case len(c.Right) == 0:
		return n > 1 || strings.HasPrefix(c.Class, "elision")
	case n > 1:
		c.Right, c.Refuse = nil, true
	case crlf && strings.Count(c.Text, "\r") == strings.Count(text, "\n"):
		c.Right = append(c.Right, strings.ReplaceAll(strings.Replace(text, old, new, 1), "\n", "\r\n"))
	case !crlf:
		c.Right = append(c.Right, strings.Replace(text, old, new, 1))
	}
	return true
}

// maker draws random parts of a case.
type maker struct{ rand *rand.Rand }

// one draws one of several values.
func one[T any](m *maker, of ...T) T { return of[m.rand.IntN(len(of))] }

// squeeze removes white space from a text.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// count returns in how many places text has the lines of old, ignoring white space.
func count(text, old string) int {
	lines := func(s string) []string {
		var l []string
		for b := range strings.Lines(s) {
			if b = squeeze(b); b != "" {
				l = append(l, b)
			}
		}
		return l
	}
	in, of := lines(text), lines(old)
	n := 0
	for i := 0; i+len(of) <= len(in); i++ {
		if slices.Equal(in[i:i+len(of)], of) {
			n++
		}
	}
	return n
}
