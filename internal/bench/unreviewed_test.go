package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// What is left to review: edits have changed half of the files, and a command the others.
const (
	changedFiles = 300
	hunksOfFile  = 17
	manyHunks    = changedFiles * hunksOfFile
	reviewSteps  = 40
)

// unreviewed is how long a client waits, at the longest, for a step of the review of many changes
// that were applied before, and what memory they take.
func unreviewed(b *testing.B) []figure {
	m := newModel(b)
	p := newEmendo(b, m)
	params := initializeParams(p)
	params["capabilities"].(object)["experimental"].(object)["emendo"] = object{"version": 1, "session": true, "view": 1, "changes": true}
	e := start(b, p)
	defer e.stop()
	e.call("initialize", params, nil)
	e.notify("initialized", object{})
	rest := func() float64 { return rested(func() float64 { return memory(b, e.cmd.Process.Pid) }) }
	e.prompt(e.session(), "Hello")
	before := rest()
	session := e.changeMany(p, m)

	longest := map[string]time.Duration{}
	timed := func(step, method string, of object, result any) {
		began := time.Now()
		a := e.wait(e.begin(method, of))
		if a.err == nil && result != nil {
			a.err = json.Unmarshal(a.result, result)
		}
		if a.err != nil {
			b.Fatalf("%s: %v", method, a.err)
		}
		longest[step] = max(longest[step], a.at.Sub(began))
	}
	command := func(step, name string, of object, result any) {
		timed(step, "workspace/executeCommand", object{"command": name, "arguments": []object{of}}, result)
	}
	var window struct {
		Version int64
		Hunks   []struct{ ID string }
	}
	timed("shown", "emendo/view/get", object{}, &window)
	var list struct {
		Items []struct {
			URI   string
			Range struct{ Start object }
		}
	}
	command("listed", "emendo.unreviewed", object{}, &list)
	if len(list.Items) != manyHunks || len(window.Hunks) != manyHunks {
		b.Fatalf("%d of %d hunks are listed, and %d shown", len(list.Items), manyHunks, len(window.Hunks))
	}
	took := rest() - before
	for n := range reviewSteps {
		at := list.Items[n*manyHunks/reviewSteps]
		command("walked", "emendo.nextHunk", object{"uri": at.URI, "position": at.Range.Start}, nil)
	}
	for n := range reviewSteps {
		timed("kept", "emendo/view/act", object{"id": window.Hunks[n].ID, "actionId": "keep", "version": window.Version}, nil)
	}
	var kept struct{ Hunks int }
	command("all kept", "emendo.keepAll", object{"sessionId": session}, &kept)
	if kept.Hunks != manyHunks-reviewSteps {
		b.Errorf("%d hunks were kept at once", kept.Hunks)
	}
	figures := []figure{}
	for _, step := range []string{"shown", "listed", "walked", "kept", "all kept"} {
		figures = append(figures, figure{name: "5,100 unreviewed hunks in 300 files: " + step, value: ms(longest[step]), unit: "ms", budget: 100})
	}
	return append(figures, figure{name: "memory (PSS) that they take, with their view", value: took, unit: "MiB", budget: 20})
}

// changeMany runs a turn that changes the files, and returns its session.
func (e *editor) changeMany(p program, m *modelServer) string {
	e.tb.Helper()
	text := func(mark string) string {
		var b strings.Builder
		for i := range hunksOfFile {
			fmt.Fprintf(&b, "same %d\nsame\nsame\nsame\n%s line %d\n", i, mark, i)
		}
		return b.String()
	}
	if err := os.Mkdir(filepath.Join(p.work, "new"), 0o700); err != nil {
		e.tb.Fatal(err)
	}
	for n := range changedFiles {
		name := fmt.Sprintf("f%03d.txt", n)
		p.file(e.tb, name, text("old"))
		if n >= changedFiles/2 {
			p.file(e.tb, filepath.Join("new", name), text("new"))
		}
	}
	answers := 0
	m.answer = func(a *answer) {
		if answers++; answers > 1 {
			a.done()
			return
		}
		for n := range changedFiles / 2 {
			args, err := json.Marshal(object{"file_path": fmt.Sprintf("f%03d.txt", n), "content": text("new")})
			if err != nil {
				panic(err) // texts encode
			}
			a.part(`{"functionCall":{"name":"write_file","args":`+string(args)+`}}`, "")
		}
		a.call("run_shell_command", `{"command":"cp new/f*.txt ."}`)
	}
	var r struct{ Session struct{ SessionID string } }
	e.call("emendo/session/new", object{"mode": "yolo"}, &r)
	e.prompt(r.Session.SessionID, "Change them.")
	return r.Session.SessionID
}
