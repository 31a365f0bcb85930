//go:build unix

package bench

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

var dayRounds = flag.Int("rounds", 50, "the rounds of a day's work in TestNothingGrowsInLongUse")

// A day's work in fast motion: after many rounds the server uses no more resources
// than after some.
func TestNothingGrowsInLongUse(t *testing.T) {
	if testing.Short() {
		t.Skip("soak test")
	}
	const days = 4 // the first is for warming up
	m := newModel(t)
	p := newEmendo(t, m)
	e := open(t, p)
	defer e.stop()
	text := code(300)
	n := 0
	round := func() {
		n++
		path := fmt.Sprintf("%s/%d.go", p.work, n%7)
		e.didOpen(path, text)
		for v := range 20 {
			e.didChange(path, v+2, v*7, 1, 1, "x")
		}
		s := e.session()
		called := false
		m.answer = func(a *answer) {
			a.say("Let me see. ")
			if called {
				a.done()
				return
			}
			called = true
			a.call("read_file", `{"file_path":"`+path+`"}`)
		}
		e.prompt(s, "look at it")
		e.prompt(s, "and again")
		e.call("textDocument/codeLens", object{"textDocument": object{"uri": "file://" + path}}, nil)
		e.call("emendo/session/close", object{"sessionId": s}, nil)
		e.notify("textDocument/didClose", object{"textDocument": object{"uri": "file://" + path}})
		for len(m.requests) > 0 {
			<-m.requests
		}
	}
	type held struct {
		memory float64 // MiB
		open   int
	}
	var seen []held
	for range days {
		for range *dayRounds {
			round()
		}
		pid := e.cmd.Process.Pid
		seen = append(seen, held{settled(func() float64 { return memory(t, pid) }), descriptors(t, pid)})
	}
	t.Logf("MiB and descriptors after each day: %v", seen)
	first, last := seen[0], seen[days-1]
	if last.memory > first.memory*1.25+8 {
		t.Errorf("memory grows from %.1f to %.1f MiB", first.memory, last.memory)
	}
	if last.open > first.open {
		t.Errorf("descriptors grow from %d to %d", first.open, last.open)
	}
	if running, most := goroutines(t, e), 40; running > most {
		t.Errorf("%d goroutines are left, more than %d", running, most)
	}
}

var goroutine = regexp.MustCompile(`(?m)^goroutine \d+ .*\[`)

// goroutines ends the server and counts what ran in it.
func goroutines(t *testing.T, e *editor) int {
	t.Helper()
	dump := e.quit()
	n := len(goroutine.FindAllString(dump, -1))
	if n == 0 {
		t.Fatalf("no goroutines in the dump: %.200s", dump)
	}
	if n > 40 {
		t.Log(strings.TrimSpace(dump))
	}
	return n
}
