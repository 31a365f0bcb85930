package view

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/tools"
)

// callFacts is what the fold of a call needs beside its item.
type callFacts struct {
	command string // that it runs, whole
	pid     int    // of the command that continues in the background; 0: none
	live    string // its output as it came last
	failure tools.ErrorType
	over    bool
	ended   State // once it is over: how, as its result says
	note    *Text // likewise
	seq     int64 // of the update with its result, until the record alone has that; 0: it stays
}

// shownCommand is the length of a command, in characters, that fits into a title.
const shownCommand = 60

func (c *Conversation) toolCall(u transcript.Update, e transcript.ToolCall) {
	turn := c.turnOf(u)
	parent := turn
	if p := c.items[e.Parent]; p != nil && p.call != nil && e.Parent != e.CallID {
		parent = p
	}
	i := c.items[e.CallID]
	if i == nil {
		i = &entry{Item: Item{ID: e.CallID, Kind: KindCall, At: clock(u.At)}, call: &callFacts{}}
		c.endStream(turn)
		c.put(i, parent)
		if turn != nil {
			turn.turn.calls, turn.turn.answered = append(turn.turn.calls, i), false
		}
		if parent != nil && parent.call != nil {
			parent.Note = new(say("call.children", "n", len(parent.children)))
			c.touch(parent, head)
		}
	}
	i.State, i.Look, i.Title = Waiting, cmp.Or(string(e.Kind), string(tools.Other)), callTitle(e.Title)
	i.Actions = byID(Stop)
	if e.Kind == tools.Execute {
		var args struct{ Command string }
		if json.Unmarshal(e.Args, &args) == nil {
			i.call.command = args.Command
		}
	}
	i.Parts = i.commandPart()
	c.touch(i, whole)
	c.showChanges(i, false)
	if turn != nil {
		c.does(turn, i.Title)
	}
}

func callTitle(title string) Text {
	if title == "" {
		return say("call")
	}
	return say("call.title", "title", title)
}

// commandPart returns a command that the title does not show whole.
func (e *entry) commandPart() []Part {
	if s := e.call.command; len(s) > shownCommand || strings.Contains(s, "\n") {
		return []Part{{Kind: Code, Lang: "sh", Label: new(say("label.command")), Text: s}}
	}
	return nil
}

func (c *Conversation) toolUpdate(u transcript.Update, e transcript.ToolUpdate) {
	i := c.items[e.CallID]
	if i == nil || i.call == nil {
		return
	}
	turn := c.turnOf(u)
	if e.Title != "" {
		i.Title = callTitle(e.Title)
	}
	if e.Live != "" && !e.Over() {
		c.live(i, e.Live)
	}
	i.State, i.call.failure, i.call.over = callState(e), e.ErrorType, e.Over()
	if n := callNote(e, i.State); n != nil || len(i.children) == 0 {
		i.Note = n
	}
	i.call.ended, i.call.note = i.State, i.Note
	i.Lines = c.o.callLines(e)
	how := head
	if e.Over() {
		i.call.pid = e.PID
		i.Parts, how = append(i.commandPart(), c.o.result(e)...), whole
		i.texts, i.call.live = nil, ""
		if c.o.Stored {
			i.call.seq = u.Seq
		}
	}
	i.Actions = c.o.callActions(i)
	c.touch(i, how)
	c.showChanges(i, false)
	if turn == nil || e.Over() {
		return
	}
	switch e.State { //nolint:exhaustive // in the other states nothing waits for the user
	case transcript.AwaitingApproval:
		c.does(turn, say("turn.asks"))
	case transcript.AwaitingReview:
		c.does(turn, say("turn.review"))
	case transcript.Executing:
		c.does(turn, i.Title)
	}
}

// ShowTerminal shows the command that a call has started in the background in a terminal;
// "terminal:PID" is the whole ID.
const ShowTerminal = "terminal"

// callActions returns what can be done with a call, whatever it changes: stop it, or follow the
// command that it has started in the background.
func (o Options) callActions(i *entry) []Action {
	switch {
	case !i.call.over:
		return byID(Stop)
	case i.call.pid != 0 && o.Terminals:
		return []Action{{ID: ShowTerminal + ":" + strconv.Itoa(i.call.pid), Title: say("do.terminal"), Look: ShowTerminal}}
	}
	return nil
}

// live takes the newest part of the output of a running call.
func (c *Conversation) live(i *entry, now string) {
	n := len(i.Parts) - 1
	if n < 0 || i.Parts[n].Kind != Output {
		i.Parts = append(i.Parts, Part{Kind: Output})
		n++
		c.touch(i, whole)
	}
	if added, ok := continues(i.call.live, now); ok {
		c.grow(i, n, added)
	} else {
		i.Parts[n].Text, i.texts = now, nil
		c.touch(i, whole)
	}
	i.call.live = now
}

// continues returns what was added to an output whose newest part was before and is now now,
// if that begins with a line of before and goes on as before does.
func continues(before, now string) (added string, ok bool) {
	for at := 0; at < len(before); {
		if rest := before[at:]; strings.HasPrefix(now, rest) {
			return now[len(rest):], true
		}
		next := strings.IndexByte(before[at:], '\n') + 1
		if next == 0 {
			break
		}
		at += next
	}
	return now, before == ""
}

// callState returns how a call is shown. What ran and failed has failed, though the call did
// not; what a user refused has not.
func callState(e transcript.ToolUpdate) State {
	switch e.State {
	case transcript.Validating, transcript.Scheduled:
		return Waiting
	case transcript.AwaitingApproval, transcript.AwaitingReview:
		return Asks
	case transcript.Executing:
		return Running
	case transcript.Success:
		if e.Signal != "" || e.ExitCode != nil && *e.ExitCode != 0 {
			return Failed
		}
		return Done
	case transcript.Failure:
		if e.ErrorType == tools.PolicyViolation || e.ErrorType == tools.Untrusted {
			return Denied
		}
		return Failed
	case transcript.Cancelled:
		if e.ErrorType != tools.Cancelled {
			return Rejected
		}
		return Cancelled
	}
	panic("view: unknown state of a call " + string(e.State))
}

// longCall is the time in milliseconds from which on it is shown how long a call took.
const longCall = 1000

// callNote says how a call stands, or ended.
func callNote(e transcript.ToolUpdate, s State) *Text {
	switch {
	case e.State == transcript.AwaitingApproval:
		return new(say("call.asks"))
	case e.State == transcript.AwaitingReview:
		return new(say("call.review"))
	case !e.Over():
		return nil
	case e.Signal != "":
		return new(say("call.signal", "signal", e.Signal))
	case e.ExitCode != nil && *e.ExitCode != 0:
		return new(say("call.exit", "code", *e.ExitCode))
	case e.Summary != "":
		return new(say("call.summary", "summary", e.Summary))
	case e.ErrorType == tools.Untrusted:
		return new(say("call.restricted"))
	case s == Denied:
		return new(say("call.denied"))
	case s == Rejected:
		return new(say("call.rejected"))
	case s == Cancelled:
		return new(say("call.cancelled"))
	case s == Failed:
		return new(say("call.failed"))
	case e.DurationMS >= longCall:
		return new(say("call.time", "ms", e.DurationMS))
	}
	return nil
}

// mostPlaces is how many places of a call are shown.
const mostPlaces = 20

func (o Options) callLines(e transcript.ToolUpdate) (l []Line) {
	for _, at := range e.Locations[:min(len(e.Locations), mostPlaces)] {
		p := Line{ID: "place", Look: "file", Place: &Place{URI: string(ide.FileURI(at.Path))}, Text: o.placeText(at.Path, nil)}
		if at.Line > 0 {
			p.Text = o.placeText(at.Path, &transcript.Lines{First: at.Line, Last: at.Line})
			p.Place.Range = &Range{Position{at.Line - 1, 0}, Position{at.Line - 1, 0}}
		}
		l = append(l, p)
	}
	if e.Rule != "" {
		l = append(l, Line{ID: "rule", Label: new(say("label.rule")), Text: say("call.rule", "rule", e.Rule)})
	}
	if e.Over() && e.DurationMS >= longCall {
		l = append(l, Line{ID: "time", Text: say("call.time", "ms", e.DurationMS)})
	}
	return l
}

// result returns what the user sees of a call that has ended.
func (o Options) result(e transcript.ToolUpdate) (l []Part) {
	for _, d := range e.Diffs {
		l = append(l, Part{Kind: Diff, Label: new(o.placeText(d.Path, nil)), Place: &Place{URI: string(ide.FileURI(d.Path))}, Rows: rowsOf(d, o.Encoding)})
	}
	if text, ok := resultText(e); ok && len(l) == 0 {
		l = append(l, text)
	}
	return l
}

// resultText returns the text that came of a call, if there is one.
func resultText(e transcript.ToolUpdate) (Part, bool) {
	switch code, ok := unfenced(e.Display); {
	case ok:
		return Part{Kind: Output, Text: code}, true
	case e.Display != "":
		return Part{Kind: Markdown, Text: e.Display}, true
	case e.State != transcript.Success && e.Output != "":
		return Part{Kind: Plain, Text: plain(e.Output)}, true
	}
	return Part{}, false
}

// unfenced returns the code of a text that is one fenced block, which is how output comes.
func unfenced(s string) (string, bool) {
	fence := s[:len(s)-len(strings.TrimLeft(s, "`"))]
	first, rest, ok := strings.Cut(s, "\n")
	code, end := strings.CutSuffix(strings.TrimRight(rest, "\n"), fence)
	if len(fence) < 3 || !ok || !end || strings.Contains(first[len(fence):], "`") || code != "" && !strings.HasSuffix(code, "\n") || strings.Contains("\n"+code, "\n"+fence) {
		return "", false
	}
	return code, true
}

// around is how many unchanged lines are shown around changes.
const around = 3

// rowsOf returns a diff as rows, with some unchanged lines around its changes.
func rowsOf(d transcript.Diff, enc ide.Encoding) (rows []Row) {
	before := ""
	if d.Old != nil {
		before = *d.Old
	}
	x, y := linesOf(before), linesOf(d.New)
	add := func(mark string, lines []string) {
		for _, s := range lines {
			rows = append(rows, Row{Mark: mark, Text: s})
		}
	}
	unchanged := func(lines []string, head, tail int) {
		if len(lines) <= head+tail {
			add("=", lines)
			return
		}
		add("=", lines[:head])
		rows = append(rows, Row{Mark: "…"})
		add("=", lines[len(lines)-tail:])
	}
	at, head := 0, 0
	for _, b := range diff.Lines(before, d.New) {
		unchanged(x[at:b.Old.Line], head, around)
		add("-", x[b.Old.Line:b.Old.End])
		add("+", y[b.New.Line:b.New.End])
		at, head = b.Old.End, around
	}
	unchanged(x[at:], head, 0)
	return withWords(rows, enc)
}

// stopped ends a call whose turn has ended, unless it has ended itself.
func (c *Conversation) stopped(i *entry, how State) {
	if i.call.over || i.State == how {
		return
	}
	i.State, i.Actions, i.Note = how, nil, new(say("call."+string(how)))
	c.touch(i, head)
}
