package policy

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
	"github.com/emendo-dev/emendo/tools"
)

// decideBudget is the limit for the 99th percentile of the time to decide a
// command.
const decideBudget = 100 * time.Microsecond

// percentile returns the nth percentile of the median times of the commands, in
// µs.
func percentile(n int, took [][]time.Duration) float64 {
	var medians []time.Duration
	for _, each := range took {
		if len(each) > 0 {
			slices.Sort(each)
			medians = append(medians, each[len(each)/2])
		}
	}
	slices.Sort(medians)
	return float64(medians[len(medians)*n/100].Nanoseconds()) / 1e3
}

// BenchmarkDecide parses and decides the commands of the table one by one, with
// fifty rules of the user. The floor is the time that the library takes to
// parse the same text.
func BenchmarkDecide(b *testing.B) {
	w := shellcmdtest.Workspace(b)
	var calls []Call
	for _, c := range shellcmdtest.Commands(b, w) {
		args, err := json.Marshal(map[string]string{"command": c.Command})
		if err != nil {
			b.Fatal(err)
		}
		if len(c.Command) <= 1<<10 { // longer ones are there to be refused
			calls = append(calls, Call{
				Tool: shellTool, Args: args, Effect: tools.Runs{Analysis: shellcmd.Analyze(c.Command, w, []string{w})},
				Mode: Default, Trusted: true, Asks: true, Shell: asksAlways, Roots: []string{w},
			})
		}
	}
	var lists Lists
	for _, c := range calls[:50] {
		var a struct{ Command string }
		if err := json.Unmarshal(c.Args, &a); err != nil {
			b.Fatal(err)
		}
		lists.Allowed = append(lists.Allowed, "run_shell_command("+strings.Join(strings.Fields(a.Command), " ")+")")
	}
	e := New(lists.Rules(), nil)
	decided, parsed := make([][]time.Duration, len(calls)), make([][]time.Duration, len(calls))
	for i := 0; b.Loop(); i++ {
		n := i % len(calls)
		c := calls[n]
		var a struct{ Command string }
		if err := json.Unmarshal(c.Args, &a); err != nil {
			b.Fatal(err)
		}
		begun := time.Now()
		c.Effect = tools.Runs{Analysis: shellcmd.Analyze(a.Command, w, []string{w})}
		e.Decide(c)
		done := time.Now()
		// Commands that cannot be parsed take time too.
		_, _ = syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(a.Command), "")
		decided[n], parsed[n] = append(decided[n], done.Sub(begun)), append(parsed[n], time.Since(done))
	}
	b.ReportMetric(percentile(50, decided), "µs-p50")
	b.ReportMetric(percentile(99, decided), "µs-p99")
	b.ReportMetric(percentile(99, parsed), "µs-p99-to-parse")
	b.ReportMetric(float64(decideBudget.Microseconds()), "µs-budget")
}
