package corpus

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
	Right    []string // texts that the edit may come to
	Refuse   bool     // a refusal is right
	plain    string   // new without any garbling
	Line     int      // of the passage that was meant, from one; zero when there is none
}

// Class is one way to garble.
type Class struct {
	Name string
	Doc  string // what is done, and why more than one outcome is right where it is
	make func(*maker) (Case, bool)
}

// Classes are all ways to garble: those that leave the meaning clear, then
// those that do not.
func Classes() []Class { return slices.Concat(understood(), doubtful()) }

// Generate makes n cases of every class. The same seed makes the same cases.
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

// literally adds what follows from the rule that text which stands exactly as
// it is quoted is meant and replaced literally: a garbled quotation may happen
// to be exact. It is no case when it is exact and was to be refused.
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

// maker draws what a case is made of.
type maker struct{ rand *rand.Rand }

// one draws one of several things.
func one[T any](m *maker, of ...T) T { return of[m.rand.IntN(len(of))] }

// squeeze is a text without white space, and without its empty lines.
func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

// count says in how many places the lines of old stand in text when white
// space does not matter.
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
