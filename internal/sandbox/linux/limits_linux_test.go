package linux_test

import (
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/sandbox/linux"
)

// A command cannot exhaust the machine: its processes have limits, and are the
// first to be killed when memory runs out.
func TestCommandsAreLimited(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			start sandbox.Spawner
			lines []attacktest.ToldLine
		}{
			"A": {attacktest.With(linux.StartInNamespaces), []attacktest.ToldLine{{Name: "processes", Line: "ulimit -u", Want: "8192\n"}}},
			"B": {attacktest.LevelB(), nil},
		} {
			t.Run(name, func(t *testing.T) {
				attacktest.NewTestbed(t).Tell(c.start, nil, append([]attacktest.ToldLine{
					{Name: "core files", Line: "ulimit -c; ulimit -Hc", Want: "0\n0\n"},
					{Name: "the size of a file", Line: "ulimit -f", Want: "67108864\n"},
					{Name: "cannot be raised", Line: "ulimit -f unlimited 2>/dev/null || echo refused", Want: "refused\n"},
					{Name: "a file beyond that", Line: "{ truncate -s 65G sub/x; } 2>/dev/null || echo refused", Want: "refused\n"},
					{Name: "memory", Line: "cat /proc/self/oom_score_adj", Want: "500\n"},
				}, c.lines...), false)
			})
		}
	})
}
