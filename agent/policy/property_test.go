package policy

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// anyRule draws a rule over few words, so that rules meet.
func anyRule(tier Tier, kinds ...Kind) *rapid.Generator[*Rule] {
	return rapid.Custom(func(t *rapid.T) *Rule {
		r := &Rule{
			Tier: tier, Name: fmt.Sprint(rapid.IntRange(0, 1<<30).Draw(t, "name")), Decision: rapid.SampledFrom(kinds).Draw(t, "decision"),
			Priority: rapid.IntRange(0, 3).Draw(t, "priority"), Redirects: rapid.Bool().Draw(t, "redirects"),
			Tools: []string{rapid.SampledFrom([]string{"*", shellTool, "read_file"}).Draw(t, "tool")},
		}
		if m := rapid.SampledFrom([]Mode{"", Default, AutoEdit, Plan, Yolo}).Draw(t, "mode"); m != "" {
			r.Modes = []Mode{m}
		}
		if r.Tools[0] == shellTool && rapid.Bool().Draw(t, "narrow") {
			r.Prefixes = [][]string{anyWords(t, 1)}
		}
		return r
	})
}

func anyWords(t *rapid.T, least int) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"git", "push", "rm", "x"}), least, 3).Draw(t, "words")
}

func anyCall(t *rapid.T) Call {
	e := tools.Runs{Analysis: shellcmd.Analysis{Dir: "/project", Known: true, Canonical: rapid.SampledFrom([]string{"", "x"}).Draw(t, "canonical form")}}
	for range rapid.IntRange(1, 3).Draw(t, "parts") {
		p := shellcmd.Part{Words: anyWords(t, 0), Known: rapid.Bool().Draw(t, "known"), Least: rapid.IntRange(0, 2).Draw(t, "least")}
		p.ReadOnly = p.Known && rapid.Bool().Draw(t, "reads")
		p.Inside = rapid.Bool().Draw(t, "inside")
		p.Passes = p.Known && rapid.Bool().Draw(t, "passes")
		if rapid.Bool().Draw(t, "destroys") {
			p.Destructive = "it does"
		}
		if rapid.Bool().Draw(t, "writes") {
			p.Writes = []string{rapid.SampledFrom([]string{"/project/a", "/etc/a", "/project/.git/a"}).Draw(t, "file")}
		}
		e.Parts = append(e.Parts, p)
	}
	c := callOf(e)
	if rapid.Bool().Draw(t, "another tool") {
		c = callOf(tools.Reads{Paths: []string{rapid.SampledFrom([]string{"/project/a", "/project/.env"}).Draw(t, "read")}})
	}
	c.Mode = rapid.SampledFrom([]Mode{Default, AutoEdit, Plan, Yolo}).Draw(t, "mode of the session")
	c.Trusted, c.Asks = rapid.Bool().Draw(t, "trusted"), rapid.Bool().Draw(t, "asks")
	c.Shell = rapid.SampledFrom([]Shell{{}, asksAlways, {Level: sandbox.Restricted}, {Level: sandbox.Isolated}, {Level: sandbox.Isolated, Unsafe: "It is."}}).Draw(t, "shell")
	return c
}

func anyRules(t *rapid.T) []*Rule {
	all := []Kind{Deny, Ask, Allow}
	var l []*Rule
	for _, tier := range []Tier{OfProject, OfUser, OfAdmin} {
		l = append(l, rapid.SliceOfN(anyRule(tier, all...), 0, 4).Draw(t, "rules")...)
	}
	return l
}

func TestNeitherADenialNorAProjectAllowsMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, rules := anyCall(t), anyRules(t)
		before := New(rules, nil).Decide(c)
		tier := rapid.SampledFrom([]Tier{OfUser, OfAdmin}).Draw(t, "tier")
		more := rapid.OneOf(anyRule(tier, Deny), anyRule(OfProject, Deny, Ask, Allow)).Draw(t, "added")
		if after := New(append(slices.Clone(rules), more), nil).Decide(c); after.Kind > before.Kind {
			t.Fatalf("with one more rule %s by %s, before %s by %s", after.Kind, after.Rule, before.Kind, before.Rule)
		}
	})
}

func TestOrderInsideATierDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, rules := anyCall(t), anyRules(t)
		want := New(rules, nil).Decide(c).Kind
		if got := New(rapid.Permutation(rules).Draw(t, "order"), nil).Decide(c).Kind; got != want {
			t.Fatalf("%s, in another order %s", want, got)
		}
	})
}

func TestBrokenFileAllowsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, rules := anyCall(t), anyRules(t)
		if d := New(rules, []*FileError{{File: "f.toml", What: "x"}}).Decide(c); d.Kind == Allow || len(d.Offers) > 0 && d.Kind != Ask {
			t.Fatalf("%s by %s", d.Kind, d.Rule)
		}
	})
}

func TestAnswerDoesNotOverrideADenial(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, rules := anyCall(t), anyRules(t)
		before := New(rules, nil).Decide(c)
		everything := &Rule{Tier: OfUser, Tools: []string{"*"}, Decision: Allow, Answer: true, Redirects: true}
		c.Answers = []*Rule{everything}
		if after := New(rules, nil).Decide(c); before.Kind == Deny && c.Asks && after.Kind != Deny {
			t.Fatalf("%s by %s, with an answer %s", before.Kind, before.Rule, after.Kind)
		}
	})
}

func TestStrictestPartDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, rules := anyCall(t), anyRules(t)
		d := New(rules, nil).Decide(c)
		strictest := Allow
		for _, p := range d.Parts {
			strictest = min(strictest, p.Kind)
		}
		if len(d.Parts) > 0 && d.Kind != strictest {
			t.Fatalf("%s, of parts the strictest of which is %s", d.Kind, strictest)
		}
	})
}

// Without a sandbox, and with one where all is asked about, the built-in rules let no command
// write a file, with or without a wrapper.
func TestNothingIsWrittenWithoutApproval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := anyCall(t)
		c.Mode = rapid.SampledFrom([]Mode{Default, AutoEdit, Plan}).Draw(t, "mode that asks")
		c.Shell = rapid.SampledFrom([]Shell{{}, asksAlways}).Draw(t, "shell that asks")
		r, ok := c.Effect.(tools.Runs)
		if d := New(nil, nil).Decide(c); ok && d.Kind == Allow && slices.ContainsFunc(r.Parts, func(p shellcmd.Part) bool { return len(p.Writes) > 0 }) {
			t.Fatalf("allowed by %s", d.Rule)
		}
	})
}

// The words of an answer survive a round trip.
func TestQuotedWordsAreReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.StringMatching(`[a' "\\\n$*=]*`))).Draw(t, "words")
		if got, ok := split(quoted(words)); !ok || !slices.Equal(got, words) {
			t.Fatalf("%q are written %s and read %q", words, quoted(words), got)
		}
	})
}

// Whatever matches an expression begins with a possible prefix.
func TestPossiblePrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(\(?(a|b|ab|\.|[ab]|\\bb|\^a|a\$)(\*|\?|\+|\{2\})?\|?)?(a|b|c|\.)(\*|\?|\+)?(x|\[\^a\]|\\w)?`).Draw(t, "expression")
		e, err := compileCommand(text)
		if err != nil {
			return // invalid
		}
		s := rapid.StringMatching(`[abcx ]{0,8}`).Draw(t, "text")
		if e.MatchString(s) {
			for n := range len(s) + 1 {
				if o := openingOf(text); !o.admits(s[:n]) {
					t.Fatalf("%s matches %q, and may not begin with %q", text, s, s[:n])
				}
			}
		}
	})
}
