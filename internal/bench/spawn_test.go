package bench

import (
	"encoding/json"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

const spawnRounds = 15

// spawns measures the cost of a command at each level of the sandbox, beyond a plain
// start of the same. Both are the shortest of some starts.
func spawns(b *testing.B) []figure {
	if runtime.GOOS == "windows" {
		return nil
	}
	m := newModel(b)
	plain := func() time.Duration {
		least := time.Hour
		for range 5 {
			cmd := exec.Command("bash", "--noprofile", "--norc", "-c", ":")
			cmd.Dir = "/"
			began := time.Now()
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
			least = min(least, time.Since(began))
		}
		return least
	}
	at := func(level string) func() time.Duration {
		p := newEmendo(b, m)
		p.env = append(p.env, "EMENDO_TEST_SANDBOX="+level)
		return func() time.Duration { return p.start(b) }
	}
	var figures []figure
	for _, l := range []struct {
		level  string
		budget float64
	}{{"A", 8}, {"B", 8}, {"C", 8}} {
		held, floor := inTurn(spawnRounds, at(l.level), plain)
		figures = append(figures, figure{
			name: "a command at level " + l.level + " of the sandbox, beyond a plain start", value: held - floor, floor: floor, beside: "plain start", unit: "ms", budget: l.budget,
		})
	}
	return figures
}

// start returns the time that the program reports for starting a command.
func (p program) start(b *testing.B) time.Duration {
	b.Helper()
	cmd := exec.Command(p.path, "doctor", "--json")
	cmd.Dir, cmd.Env = p.work, p.env
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var report struct {
		Checks []struct {
			Name, Message string
			StartMS       float64
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		b.Fatal(err)
	}
	for _, c := range report.Checks {
		if c.Name == "sandbox" && c.StartMS > 0 {
			return time.Duration(c.StartMS * float64(time.Millisecond))
		}
	}
	b.Fatalf("the report lacks the sandbox: %s", out)
	return 0
}
