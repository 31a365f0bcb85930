package loop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/loop"
)

func TestCalls(t *testing.T) {
	const a, b, c = `read {"f":"a"}`, `read {"f":"b"}`, `run {"c":"make"}`
	each := func(calls ...string) []string { return calls }
	times := func(n int, calls ...string) (all []string) {
		for range n {
			all = append(all, calls...)
		}
		return all
	}
	for _, tt := range []struct {
		name  string
		calls []string // the last one closes the loop, if there is one
		want  string   // the round
	}{
		{"the same call five times", times(5, a), "read"},
		{"four times", times(4, a), ""},
		{"five times with another between", append(times(4, a), b, a), ""},
		{"two in turn, five times", times(5, a, c), "read, run"},
		{"two in turn, from the middle on", append(each(b), times(5, a, c)...), "read, run"},
		{"two in turn, four times and a half", times(5, a, c)[:9], ""},
		{"three in turn", times(5, a, b, c), "read, read, run"},
		{"five in turn", times(5, a, b, c, `x {}`, `y {}`), "read, read, run, x, y"},
		{"six in turn are not seen", times(9, a, b, c, `x {}`, `y {}`, `z {}`), ""},
		{"the same tool with other arguments", each(a, b, `read {"f":"c"}`, `read {"f":"d"}`, `read {"f":"e"}`), ""},
		{"the same arguments for another tool", each(`a {}`, `b {}`, `c {}`, `d {}`, `e {}`), ""},
		{
			"arguments that are written differently are the same",
			each(`f {"a":1,"b":[1,2]}`, `f {"b":[1,2],"a":1}`, `f { "a" : 1, "b" : [ 1, 2 ] }`, "f {\n\"b\":[1,2],\n\"a\":1}", `f {"a":1,"b":[1,2]}`), "f",
		},
		{"numbers that are equal as floats", each(`f {"a":10000000000000001}`, `f {"a":10000000000000002}`, `f {"a":10000000000000003}`, `f {"a":10000000000000004}`, `f {"a":10000000000000005}`), ""},
		{"arguments that are no JSON", times(5, `f {`), "f"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := loop.New(loop.Options{})
			var v loop.Verdict
			for n, call := range tt.calls {
				name, args, _ := strings.Cut(call, " ")
				if v = g.Call(name, json.RawMessage(args)); v.Strike != loop.GoOn && n < len(tt.calls)-1 {
					t.Fatalf("call %d of %d: %+v", n+1, len(tt.calls), v)
				}
			}
			if v.Detail != tt.want || (v.Kind == loop.SameCalls) != (tt.want != "") {
				t.Errorf("got %+v, want the round %q", v, tt.want)
			}
		})
	}
}
