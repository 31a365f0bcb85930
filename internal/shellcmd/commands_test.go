package shellcmd

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
)

// decided applies rules as they apply where commands are sandboxed: a denial
// beats a question, and a question an approval. The policy is tested with the
// same table.
func decided(r Analysis, allow, deny []string) string {
	decision := "allow"
	for _, p := range r.Parts {
		if slices.ContainsFunc(deny, func(rule string) bool { return p.Named(strings.Fields(rule)) }) {
			return "deny"
		}
		allowed := p.Passes || p.ReadOnly || slices.ContainsFunc(allow, func(rule string) bool { return p.Covered(strings.Fields(rule)) })
		if !allowed || len(p.Writes) > 0 {
			decision = "ask"
		}
	}
	if len(r.Parts) == 0 {
		return "ask"
	}
	return decision
}

func TestCommands(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	l := shellcmdtest.Commands(t, w)
	if len(l) < 350 {
		t.Errorf("the table has %d commands only", len(l))
	}
	for _, c := range l {
		t.Run(fmt.Sprintf("line %d", c.Line), func(t *testing.T) {
			r := Analyze(c.Command, w, []string{w})
			got := decided(r, c.Allow, c.Deny)
			if got != c.Want {
				t.Errorf("%.200q is %s, want %s: %s\n%s", c.Command, got, c.Want, c.Why, described(r))
			}
			if got == "allow" && !r.Known {
				t.Errorf("%q is allowed and not known: %s", c.Command, r.Why)
			}
			if !r.Known && r.Why == "" {
				t.Errorf("%q is unknown without a reason", c.Command)
			}
		})
	}
}

func TestPowerShellIsNotRead(t *testing.T) {
	for _, command := range []string{"ls", "git status", "Get-ChildItem", "rm x; ls"} {
		r, _ := analyze("windows", command, `C:\w`, []string{`C:\w`})
		if r.Known || r.Destructive == "" || decided(r, []string{"ls", "git status", "Get-ChildItem"}, nil) != "ask" {
			t.Errorf("%q is %+v", command, r)
		}
	}
}

func described(r Analysis) string {
	var b strings.Builder
	fmt.Fprintf(&b, "known %v %q\n", r.Known, r.Why)
	for _, p := range r.Parts {
		fmt.Fprintf(&b, "  %.200q least %d of %.300q, known %v %q, reads %v, passes %v, inside %v, also %.300q, writes %q\n", p.Text, p.Least, p.Words, p.Known, p.Why, p.ReadOnly, p.Passes, p.Inside, p.Aliases, p.Writes)
	}
	return b.String()
}

// BenchmarkAnalyze analyzes the commands of the table one by one. It reports
// the median time of the command in the middle and of the slowest in a hundred.
func BenchmarkAnalyze(b *testing.B) {
	w := shellcmdtest.Workspace(b)
	l := shellcmdtest.Commands(b, w)
	took := make([][]time.Duration, len(l))
	for i := 0; b.Loop(); i++ {
		n := i % len(l)
		began := time.Now()
		Analyze(l[n].Command, w, []string{w})
		took[n] = append(took[n], time.Since(began))
	}
	var medians []time.Duration
	for _, each := range took {
		if len(each) > 0 {
			slices.Sort(each)
			medians = append(medians, each[len(each)/2])
		}
	}
	slices.Sort(medians)
	b.ReportMetric(float64(medians[len(medians)*99/100].Nanoseconds())/1e3, "p99-µs")
	b.ReportMetric(float64(medians[len(medians)/2].Nanoseconds())/1e3, "p50-µs")
}
