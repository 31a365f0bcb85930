package bench

import (
	"os/exec"
	"testing"
	"time"
)

// suites measures the tests that a developer runs while working, with everything compiled.
func suites(b *testing.B) []figure {
	return []figure{
		{name: "the tests of `make quick`, compiled before", value: suite(b, "-short", "./..."), unit: "s", budget: 60},
		{name: "the tests of agent/turn, compiled before", value: suite(b, "./agent/turn"), unit: "s", budget: 5},
	}
}

// suite compiles tests, runs them again and returns how long that took, in seconds.
func suite(b *testing.B, args ...string) float64 {
	b.Helper()
	run := func(options ...string) time.Duration {
		cmd := exec.Command("go", append(append([]string{"test", "-count=1"}, options...), args...)...)
		cmd.Dir = "../.."
		begun := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("go test %v: %v\n%s", args, err, out)
		}
		return time.Since(begun)
	}
	run("-run=^$")
	return run().Seconds()
}
