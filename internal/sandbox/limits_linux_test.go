package sandbox

import (
	"testing"
)

// A command cannot take the machine with it: each of its processes has limits, and
// where memory runs out its processes go first.
func TestCommandsAreLimited(t *testing.T) {
	asEachUser(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			start Spawner
			lines []toldLine
		}{
			"A": {with(namespaced), []toldLine{{"processes", "ulimit -u", "8192\n"}}},
			"B": {levelB(), nil},
		} {
			t.Run(name, func(t *testing.T) {
				newTestbed(t).tell(c.start, nil, append([]toldLine{
					{"core files", "ulimit -c; ulimit -Hc", "0\n0\n"},
					{"the size of a file", "ulimit -f", "67108864\n"},
					{"cannot be raised", "ulimit -f unlimited 2>/dev/null || echo refused", "refused\n"},
					{"a file beyond that", "{ truncate -s 65G sub/x; } 2>/dev/null || echo refused", "refused\n"},
					{"memory", "cat /proc/self/oom_score_adj", "500\n"},
				}, c.lines...), false)
			})
		}
	})
}
