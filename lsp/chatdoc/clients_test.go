package chatdoc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// habits are how a client treats the edits of a server and reports its buffers, as real
// ones do in one way or another.
type habits struct {
	Versions string // of edits: "refused", "failed", "skipped" or "ignored" if they are old
	Reports  string // changes: "at once", "soon", "when idle" or "after typing"
	Applies  time.Duration
	Behind   string // the last line: an edit there is "made", "moved" or "dropped"
	Pieces   bool   // an edit is reported in two parts
	LineEnds string // that it gives inserted lines
	Ends     bool   // its buffers end in a line end
	Refuses  int    // one of so many edits; 0: none
	Stops    int    // at one of so many edits, for some time; 0: at none
	Silent   bool   // never answers
}

func drawHabits(t *rapid.T) habits {
	h := habits{
		Versions: rapid.SampledFrom([]string{"refused", "failed", "skipped", "ignored"}).Draw(t, "versions"),
		Reports:  rapid.SampledFrom([]string{"at once", "soon", "when idle", "after typing"}).Draw(t, "reports"),
		Behind:   rapid.SampledFrom([]string{"made", "moved", "dropped"}).Draw(t, "behind"),
		Pieces:   rapid.IntRange(0, 4).Draw(t, "pieces") == 4,
		LineEnds: rapid.SampledFrom([]string{"", "", "\n", "\r\n"}).Draw(t, "line ends"),
		Ends:     rapid.Bool().Draw(t, "ends"),
		Refuses:  rapid.SampledFrom([]int{0, 0, 3, 8}).Draw(t, "refuses"),
		Stops:    rapid.SampledFrom([]int{0, 0, 4}).Draw(t, "stops"),
		Silent:   rapid.IntRange(0, 7).Draw(t, "silent") == 7,
	}
	if rapid.IntRange(0, 3).Draw(t, "applies later") == 3 {
		h.Applies = time.Duration(rapid.IntRange(1, 20).Draw(t, "applies")) * 100 * time.Millisecond
	}
	return h
}

// deed is something that the user does after a wait.
type deed struct {
	Wait time.Duration
	Does string
	At   int // where in the document, in thousandths
}

func drawDeeds(t *rapid.T) []deed {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) deed {
		return deed{
			time.Duration(rapid.SampledFrom([]int{10, 100, 300, 1000, 3000, 8000}).Draw(t, "wait")) * time.Millisecond,
			rapid.SampledFrom([]string{"types", "types", "types", "types inside", "asks", "asks", "asks elsewhere", "rests", "saves", "reopens"}).Draw(t, "does"),
			rapid.IntRange(0, 999).Draw(t, "at"),
		}
	}), 1, 25).Draw(t, "deeds")
}

// oddClient is a client with such habits, with one document open.
type oddClient struct {
	habits
	w   *world
	uri string

	mu      sync.Mutex
	text    string // what the user sees
	told    string // the text that was reported last
	version int32
	closed  bool
	typing  bool        // the user is in a mode for it
	timer   *time.Timer // of the next report; nil: none is due
	edits   int
	asked   bool // a question of the document was sent: its session is the current one
	problem string

	stopped token // held while the client does nothing
	wire    token // held while something is sent, so that it stays in order
}

// token is a lock that a bubble's clock does not wait for.
type token chan struct{}

func (t token) Lock()   { t <- struct{}{} }
func (t token) Unlock() { <-t }

// open opens the document with its text.
func (c *oddClient) open(text string) {
	c.text, c.told, c.version = text, text, c.version+1
	c.notify("textDocument/didOpen", worldtest.Obj{"textDocument": worldtest.Obj{"uri": c.uri, "languageId": "markdown", "version": c.version, "text": text}})
}

func (c *oddClient) notify(method string, params any) {
	if err := c.w.Editor.Notify(method, params); err != nil {
		c.w.Error(err)
	}
}

// changed has the text reported, as soon as the client does. c.mu is held.
func (c *oddClient) changed() {
	after := map[string]time.Duration{"soon": 150 * time.Millisecond, "when idle": 4500 * time.Millisecond, "after typing": 600 * time.Millisecond}[c.Reports]
	if c.timer == nil && after > 0 {
		c.timer = time.AfterFunc(after, func() { c.flush(false) })
	}
}

// flush reports what was not.
func (c *oddClient) flush(forced bool) {
	c.wire.Lock()
	defer c.wire.Unlock()
	c.mu.Lock()
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	if c.Reports == "after typing" && c.typing && !forced {
		c.changed()
		c.mu.Unlock()
		return
	}
	text, was := c.text, c.told
	c.told = text
	if text != was {
		c.version++
	}
	version := c.version
	c.mu.Unlock()
	if text != was {
		c.report(version, text)
	}
}

func (c *oddClient) report(version int32, text string) {
	c.notify("textDocument/didChange", worldtest.Obj{"textDocument": worldtest.Obj{"uri": c.uri, "version": version}, "contentChanges": []worldtest.Obj{{"text": text}}})
}

// types inserts a text as the user would, unless there is no place for it.
func (c *oddClient) types(place func(text string) int, text string) string {
	c.stopped.Lock() // a client that has stopped takes no keys either
	defer c.stopped.Unlock()
	c.mu.Lock()
	at := place(c.text)
	if at < 0 {
		c.mu.Unlock()
		return ""
	}
	c.text = c.text[:at] + text + c.text[at:]
	c.typing = true
	c.changed()
	c.mu.Unlock()
	if c.Reports == "at once" {
		c.flush(false)
	}
	return text
}

// atEnd returns where the user goes on to write the question.
func atEnd(text string) int {
	end := len(strings.TrimRight(text, "\r\n"))
	if strings.HasSuffix(text[:end], "## You") || strings.HasSuffix(text[:end], "## emendo") {
		return len(text)
	}
	return end
}

// inside returns a place at the end of a line of the conversation; -1: not there.
func (d deed) inside(text string) int {
	at := d.At * len(text) / 1000
	at += strings.IndexByte(text[at:]+"\n", '\n')
	line := text[strings.LastIndexByte(text[:at], '\n')+1 : at]
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "-") || strings.Contains(line, ":") || strings.HasSuffix(line, "\r") {
		return -1
	}
	return at
}

type wireEdit struct {
	Range   ide.Range
	NewText string
}

// apply answers workspace/applyEdit.
func (c *oddClient) apply(ctx context.Context, raw json.RawMessage) (any, error) {
	var p struct {
		Edit struct {
			Documents []struct {
				Document struct{ Version int32 } `json:"textDocument"`
				Edits    []wireEdit
			} `json:"documentChanges"`
		}
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	c.stopped.Lock()
	c.mu.Lock()
	c.edits++
	n := c.edits
	c.mu.Unlock()
	if c.Stops > 0 && n%c.Stops == 1 {
		<-time.After(time.Duration(n%5) * 9 * time.Second)
	}
	answer, err := c.decide(p.Edit.Documents[0].Document.Version, p.Edit.Documents[0].Edits, n)
	c.stopped.Unlock()
	if c.Silent && err == nil {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return answer, err
}

// decide makes the n-th edit, of a version, or does not, and returns the answer.
func (c *oddClient) decide(version int32, edits []wireEdit, n int) (any, error) {
	if c.Refuses > 0 && n%c.Refuses == 1 {
		return worldtest.Obj{"applied": false}, nil
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return worldtest.Obj{"applied": false, "failureReason": "closed"}, nil
	}
	old := version != c.version || c.text != c.told
	c.mu.Unlock()
	if old && c.Versions != "ignored" {
		switch c.Versions {
		case "refused":
			return worldtest.Obj{"applied": false, "failureReason": "old"}, nil
		case "failed":
			return nil, errors.New("old")
		}
		return worldtest.Obj{"applied": true}, nil
	}
	if c.Applies > 0 && c.Versions == "ignored" {
		time.AfterFunc(c.Applies, func() { c.make(edits) })
	} else {
		c.make(edits)
	}
	return worldtest.Obj{"applied": true}, nil
}

// make makes an edit in the buffer.
func (c *oddClient) make(edits []wireEdit) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return
	}
	before, half := c.text, ""
	for _, e := range slices.Backward(edits) {
		t := ide.NewText(c.text)
		lines := strings.Count(strings.TrimSuffix(c.text, "\n"), "\n") + 1
		if int(e.Range.Start.Line) >= lines && c.Behind != "made" && c.text != "" {
			if c.Behind == "dropped" {
				continue
			}
			e.Range.Start = ide.Position{Line: uint32(lines - 1), Character: 1 << 20}
			e.Range.End = e.Range.Start
		}
		a, b, err := t.Offsets(e.Range, ide.UTF8)
		if err != nil {
			c.problem = err.Error()
			break
		}
		text := e.NewText
		if c.LineEnds != "" {
			text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", c.LineEnds)
		}
		first := text[:strings.LastIndexByte(text[:len(text)*2/3], '\n')+1]
		half = c.text[:a] + first + c.text[b:]
		c.text = c.text[:a] + text + c.text[b:]
	}
	if c.Ends && !strings.HasSuffix(c.text, "\n") {
		c.text += "\n"
	}
	c.changed()
	inPieces := c.Pieces && len(edits) == 1 && before == c.told && half != before && c.Reports == "soon"
	if inPieces {
		c.version++
		c.told = half
		version := c.version
		c.mu.Unlock()
		c.report(version, half)
		return
	}
	c.mu.Unlock()
	if c.Reports == "at once" {
		c.flush(false)
	}
}

// does has the user do something.
func (c *oddClient) does(d deed, n int) (asked, typed string) {
	switch d.Does {
	case "types":
		typed = c.types(atEnd, fmt.Sprintf(" draft%d;", n))
	case "types inside": // which an editor that ignores versions gets wrong by itself
		if c.Versions != "ignored" {
			typed = c.types(d.inside, fmt.Sprintf(" inside%d;", n))
		}
	case "asks":
		asked = c.types(atEnd, fmt.Sprintf(" question%d?", n))
		c.rest()
		if err := c.w.Editor.Command(c.w.Context(), "emendo.send", worldtest.Obj{"uri": c.uri}, nil); err != nil {
			return "", asked // there is no place for one yet, or one is being sent
		}
		c.asked = true
	case "asks elsewhere":
		if !c.asked {
			return "", ""
		}
		if err := c.w.Editor.Command(c.w.Context(), "emendo.ask", worldtest.Obj{"prompt": fmt.Sprintf("elsewhere%d?", n)}, nil); err == nil {
			asked = fmt.Sprintf("elsewhere%d?", n)
		}
	case "rests":
		c.rest()
	case "saves":
		c.saves()
	case "reopens":
		c.saves()
		c.mu.Lock()
		c.closed = true
		c.mu.Unlock()
		c.notify("textDocument/didClose", worldtest.Obj{"textDocument": worldtest.Obj{"uri": c.uri}})
		<-time.After(20 * time.Second)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.closed = false
		c.open(c.w.Read("a.emendo.md"))
	}
	return asked, typed
}

// rest ends typing.
func (c *oddClient) rest() {
	c.stopped.Lock()
	defer c.stopped.Unlock()
	c.mu.Lock()
	c.typing = false
	c.mu.Unlock()
	c.flush(true)
}

func (c *oddClient) saves() {
	c.rest()
	c.wire.Lock()
	defer c.wire.Unlock()
	c.mu.Lock()
	err := os.WriteFile(filepath.Join(c.w.Dir, "a.emendo.md"), []byte(c.told), 0o644)
	c.mu.Unlock()
	if err != nil {
		c.w.Error(err)
	}
	c.notify("textDocument/didSave", worldtest.Obj{"textDocument": worldtest.Obj{"uri": c.uri}})
}

// play has a conversation in the client, and returns what is wrong with the document at
// the end.
func (c *oddClient) play(deeds []deed) string {
	w := c.w
	w.Editor.Apply = c.apply
	c.uri = w.URI("a.emendo.md")
	c.open("## You\n\n")
	var questions, typed []string
	for i, d := range deeds {
		<-time.After(d.Wait)
		q, t := c.does(d, i)
		if q != "" {
			questions = append(questions, q)
		}
		if t != "" {
			typed = append(typed, t)
		}
	}
	c.rest()
	<-time.After(3 * time.Minute)
	for range 8 { // what an editor has dropped without a word shows when it saves
		c.saves()
		<-time.After(time.Minute)
	}
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.problem != "" {
		return c.problem
	}
	got := strings.ReplaceAll(c.text, "\r\n", "\n")
	for _, t := range slices.Concat(questions, typed) {
		if n := strings.Count(got, t); n != 1 {
			return fmt.Sprintf("%q is there %d times:\n%s", t, n, got)
		}
	}
	answers := len(w.Model.Requests())
	if n := strings.Count(got, "## emendo\n"); n != answers || answers != len(questions) {
		return fmt.Sprintf("%d questions, %d answers and %d headings for answers:\n%s", len(questions), answers, n, got)
	}
	last := -1
	for i := range answers {
		for _, part := range partsOf(i) {
			plain := withoutTyped(got, typed)
			at := strings.Index(plain, part)
			if n := strings.Count(plain, part); n != 1 || at < last {
				return fmt.Sprintf("%q is there %d times, at %d after %d:\n%s", part, n, at, last, got)
			}
			last = at
		}
	}
	return ""
}

func withoutTyped(text string, typed []string) string {
	for _, t := range typed {
		text = strings.Replace(text, t, "", 1)
	}
	return text
}

// partsOf returns the paragraphs of an answer.
func partsOf(answer int) (l []string) {
	for i := range answer%4 + 1 {
		l = append(l, fmt.Sprintf("Part %d of answer %d.", i, answer))
	}
	return l
}

// Whatever a client does with edits, a chat document gets every heading and every block
// once, in order, and keeps what the user types.
func TestEachBlockIsWrittenOnce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h, deeds := drawHabits(rt), drawDeeds(rt)
		var replies []modeltest.Reply
		for i := range len(deeds) {
			var r modeltest.Reply
			for k, p := range partsOf(i) {
				r = append(r, modeltest.Say(p+"\n\n"), modeltest.Pause(time.Duration((i*7+k*3)%11)*300*time.Millisecond))
			}
			replies = append(replies, r)
		}
		wrong := ""
		play(t, lsptest.Recorded("helix").With("workspace.workspaceEdit.documentChanges", true), replies, func(w *world) {
			wrong = (&oddClient{habits: h, w: w, stopped: make(token, 1), wire: make(token, 1)}).play(deeds)
		})
		if wrong != "" {
			rt.Fatal(wrong)
		}
	})
}
