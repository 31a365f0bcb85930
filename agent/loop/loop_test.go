package loop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/loop"
)

func read(g *loop.Guard, file string) loop.Verdict {
	return g.Call("read_file", json.RawMessage(`{"file_path":"`+file+`"}`))
}

// passage is fifty characters that nothing else is.
const passage = "I will now look at the file and see what is there."

func TestTwoStrikes(t *testing.T) {
	g := loop.New(loop.Options{})
	g.Prompt("mend it")
	g.Step(t.Context(), 1, nil)
	for n := 1; n <= 4; n++ {
		if v := read(g, "a.go"); v != (loop.Verdict{}) {
			t.Fatalf("call %d: %+v", n, v)
		}
	}
	first := read(g, "a.go")
	if first.Strike != loop.Recover || first.Kind != loop.SameCalls || first.Detail != "read_file" {
		t.Fatalf("the fifth call: %+v", first)
	}
	if !strings.Contains(first.Advice, "(read_file)") || strings.Contains(first.Advice, "{detail}") {
		t.Errorf("advice: %q", first.Advice)
	}
	if v := read(g, "b.go"); v != first {
		t.Errorf("the verdict does not hold for the rest of the response: %+v", v)
	}
	if v := g.Text("hm"); v != first {
		t.Errorf("nor for its text: %+v", v)
	}

	if v := g.Step(t.Context(), 2, nil); v.Strike != loop.GoOn {
		t.Errorf("the recovery begins with %+v", v)
	}
	if v := g.Text("Let me think."); v.Strike != loop.GoOn {
		t.Errorf("its text: %+v", v)
	}
	stop := read(g, "a.go")
	if stop.Strike != loop.Stop || stop.Kind != loop.SameCalls || stop.Advice != "" {
		t.Fatalf("the same call after the advice: %+v", stop)
	}
	if v := g.Step(t.Context(), 3, nil); v != stop {
		t.Errorf("a turn that was stopped goes on: %+v", v)
	}

	g.Prompt("go on")
	g.Step(t.Context(), 1, nil)
	if v := read(g, "a.go"); v.Strike != loop.GoOn {
		t.Errorf("the next prompt begins with %+v", v)
	}
}

func TestAnotherWayAfterTheAdvice(t *testing.T) {
	g := loop.New(loop.Options{})
	for range 5 {
		read(g, "a.go")
	}
	g.Step(t.Context(), 2, nil)
	for n, file := range []string{"b.go", "a.go", "b.go", "c.go"} {
		if v := read(g, file); v.Strike != loop.GoOn {
			t.Errorf("call %d after it: %+v", n+1, v)
		}
	}
}

func TestTwoStrikesOfDifferentKindsCount(t *testing.T) {
	g := loop.New(loop.Options{})
	if v := g.Text(strings.Repeat(passage, 10)); v.Strike != loop.Recover || v.Kind != loop.SameWords || !strings.Contains(v.Advice, passage) {
		t.Fatalf("a chant: %+v", v)
	}
	g.Step(t.Context(), 2, nil)
	var v loop.Verdict
	for range 5 {
		v = read(g, "a.go")
	}
	if v.Strike != loop.Stop || v.Kind != loop.SameCalls {
		t.Errorf("then a loop of calls: %+v", v)
	}
}

func TestAPassageOfManyLinesIsQuotedWhole(t *testing.T) {
	v := loop.New(loop.Options{}).Text(strings.Repeat("I will look at the file.\nThen I will mend what is wrong with it.\n", 11))
	if v.Kind != loop.SameWords || !strings.Contains(v.Advice, "\n> ") {
		t.Fatalf("%+v", v)
	}
	for _, line := range strings.Split(v.Detail, "\n") {
		if !strings.Contains(v.Advice, "> "+line) {
			t.Errorf("%q is not quoted in %q", line, v.Advice)
		}
	}
}

func TestSwitchedOff(t *testing.T) {
	g := loop.New(loop.Options{Off: true})
	g.Prompt("mend it")
	for range 30 {
		if v := read(g, "a.go"); v != (loop.Verdict{}) {
			t.Fatalf("%+v", v)
		}
	}
	if v := g.Text(strings.Repeat(passage, 30)); v != (loop.Verdict{}) {
		t.Errorf("%+v", v)
	}
}

func TestARetractedResponseWasNot(t *testing.T) {
	g := loop.New(loop.Options{})
	g.Step(t.Context(), 1, nil)
	for n := range 9 {
		read(g, "a.go")
		g.Text("```\n") // half a block of code
		g.Text(strings.Repeat(passage, 9))
		g.Retract()
		if v := g.Text(passage); v.Strike != loop.GoOn {
			t.Fatalf("attempt %d: %+v", n+2, v)
		}
		g.Retract()
	}
	if v := g.Text(strings.Repeat(passage, 10)); v.Kind != loop.SameWords {
		t.Errorf("a chant after them: %+v", v)
	}
}
