package bench

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// keystrokes is how many single-letter changes a second the server takes of a
// document of 5,000 lines, spread over all of it.
func keystrokes(b *testing.B) []figure {
	const lines, many = 5000, 12_000
	m := newModel(b)
	rate := func(p program) float64 {
		e := open(b, p)
		defer e.stop()
		text := code(lines)
		file := p.file(b, "a.go", text)
		e.didOpen(file, text)
		barrier := func() {
			e.call("textDocument/hover", object{"textDocument": object{"uri": "file://" + file}, "position": object{"line": 0, "character": 0}}, nil)
		}
		barrier()
		began := time.Now()
		for i := range many {
			e.didChange(file, i+2, i*7919%lines, 1, 1, "x")
		}
		barrier()
		return many / time.Since(began).Seconds()
	}
	var ours, least []float64
	for range 3 {
		ours, least = append(ours, rate(newEmendo(b, m))), append(least, rate(newFloor(b, m)))
	}
	return []figure{{name: "didChange a second, 5,000 lines", value: median(ours), floor: median(least), beside: "bare server", unit: "/s", budget: 12_000, least: true}}
}

// review is how long a client waits for what is drawn of a document with 200
// pending hunks: the longer of its code lenses and the code actions of all of it.
func review(b *testing.B) []figure {
	const lines, hunks = 5000, 200
	m := newModel(b)
	p := newEmendo(b, m)
	e := start(b, p)
	params := initializeParams(p)
	delete(params["capabilities"].(object), "experimental") // a plain client, which has no other way to see hunks
	e.call("initialize", params, nil)
	e.notify("initialized", object{})
	text := code(lines)
	file := p.file(b, "a.go", text)
	e.didOpen(file, text)
	propose(e, m, file, changed(text, hunks))

	document := object{"uri": "file://" + file}
	until := func(method string, params object) float64 {
		var took []time.Duration
		for range 41 {
			began := time.Now()
			a := e.wait(e.begin(method, params))
			took = append(took, a.at.Sub(began))
			var l []json.RawMessage
			if err := json.Unmarshal(a.result, &l); err != nil || len(l) < hunks {
				b.Fatalf("%s gives %d of %d hunks: %v, %v", method, len(l), hunks, a.err, err)
			}
		}
		return ms(median(took))
	}
	lenses := until("textDocument/codeLens", object{"textDocument": document})
	actions := until("textDocument/codeAction", object{"textDocument": document, "range": lineRange(0, 0, lines, 0), "context": object{"diagnostics": []object{}}})
	return []figure{{name: "code actions, and lenses, of 200 pending hunks: the longer", value: max(lenses, actions), unit: "ms", budget: 5}}
}

// changed is a text in which so many lines far from one another are others.
func changed(text string, hunks int) string {
	lines := strings.SplitAfter(text, "\n")
	for i := range hunks {
		at := i * (len(lines) / hunks)
		lines[at] = "\tother" + lines[at][1:]
	}
	return strings.Join(lines, "")
}

// propose has the model write a file, and returns its change set.
func propose(e *editor, m *modelServer, file, text string) pendingSet {
	e.tb.Helper()
	args, err := json.Marshal(map[string]string{"file_path": file, "content": text})
	if err != nil {
		e.tb.Fatal(err)
	}
	called := false
	m.answer = func(a *answer) {
		if called {
			a.done()
			return
		}
		called = true
		a.call("write_file", string(args))
	}
	s := e.session()
	if a := e.wait(e.begin("emendo/session/prompt", promptParams(s, "write it"))); a.err != nil {
		e.tb.Fatal(a.err)
	}
	var r struct{ ChangeSets []pendingSet }
	e.call("emendo/changes/list", object{"sessionId": s, "state": "pending"}, &r)
	if len(r.ChangeSets) != 1 {
		e.tb.Fatalf("there are %d change sets", len(r.ChangeSets))
	}
	return r.ChangeSets[0]
}

// pendingSet is a change set of one file, as emendo/changes/list has it.
type pendingSet struct {
	ChangeSetID string
	Files       []struct {
		Hunks []struct{ HunkID, OldText, NewText string }
	}
}
