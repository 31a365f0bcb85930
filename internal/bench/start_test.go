package bench

import (
	"os/exec"
	"testing"
	"time"
)

const starts = 41

// startUp measures the time until the answer to initialize, from before the process
// is started.
func startUp(b *testing.B) []figure {
	m := newModel(b)
	once := func(p program) func() time.Duration {
		return func() time.Duration {
			began := time.Now()
			e := start(b, p)
			e.call("initialize", initializeParams(p), nil)
			took := time.Since(began)
			e.stop()
			return took
		}
	}
	ours, least := inTurn(starts, once(newEmendo(b, m)), once(newFloor(b, m)))
	return []figure{{name: "start to the answer of `initialize`", value: ours, floor: least, beside: "bare server", unit: "ms", budget: 15}}
}

// idleMemory measures the memory of a server with an open document, before and after
// a prompt.
func idleMemory(b *testing.B) []figure {
	m := newModel(b)
	idle := func(p program, prompted bool) float64 {
		e := open(b, p)
		defer e.stop()
		text := code(100)
		e.didOpen(p.file(b, "a.go", text), text)
		if prompted {
			e.prompt(e.session(), "hi")
			return rested(func() float64 { return memory(b, e.cmd.Process.Pid) })
		}
		return settled(func() float64 { return memory(b, e.cmd.Process.Pid) })
	}
	return []figure{
		{name: "idle memory (PSS), a document open", value: idle(newEmendo(b, m), false), floor: idle(newFloor(b, m), false), beside: "bare server", unit: "MiB", budget: 25},
		{name: "the same after a first prompt", value: idle(newEmendo(b, m), true), floor: idle(newFloor(b, m), true), beside: "bare server", unit: "MiB"},
	}
}

// rested returns the least value of three seconds: the program notices that it is idle.
func rested(read func() float64) float64 {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	least := read()
	for range 30 {
		<-tick.C
		least = min(least, read())
	}
	return least
}

// restedAt returns a value once it is at most so much, or its least within a minute: on a busy
// machine the program notices late that it is idle.
func restedAt(read func() float64, most float64) float64 {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	least := read()
	for i := 0; i < 600 && least > most; i++ {
		<-tick.C
		least = min(least, read())
	}
	return least
}

// settled reads a value until it has stayed the same for a while.
func settled(read func() float64) float64 {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last := read()
	for range 20 {
		<-tick.C
		now := read()
		if now == last {
			return now
		}
		last = now
	}
	return last
}

// headless measures one prompt without an editor, from the start of the process to
// its end.
func headless(b *testing.B) []figure {
	m := newModel(b)
	m.answer = func(a *answer) { a.say("hello"); a.done() }
	once := func(p program, args ...string) func() time.Duration {
		return func() time.Duration {
			cmd := exec.Command(p.path, args...)
			cmd.Dir, cmd.Env = p.work, p.env
			began := time.Now()
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			return time.Since(began)
		}
	}
	ours, least := inTurn(starts, once(newEmendo(b, m), "run", "-p", "hi"), once(newFloor(b, m), "hi"))
	return []figure{{name: "one headless prompt", value: ours, floor: least, beside: "bare program", unit: "ms", budget: 25}}
}
