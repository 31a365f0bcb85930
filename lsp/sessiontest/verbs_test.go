package sessiontest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/settings"
)

// verb is a verb of the scripts.
type verb struct {
	do      func(p *play, words string) error
	section int  // which word names a section, from zero; -1: none
	expects bool // the section holds the expected text, which -update writes
	early   bool // needs no running editor
}

// verbs has all verbs. The README of the scripts describes them.
var verbs map[string]verb

func init() {
	none := func(do func(*play, string) error) verb { return verb{do: do, section: -1} }
	early := func(do func(*play, string) error) verb { return verb{do: do, section: -1, early: true} }
	named := func(do func(*play, string) error, section int) verb { return verb{do: do, section: section} }
	expects := func(do func(*play, string) error, section int) verb {
		return verb{do: do, section: section, expects: true}
	}
	verbs = map[string]verb{
		"client":    early(func(p *play, words string) error { p.kind = kind(words); return nil }),
		"saves":     early(func(p *play, words string) error { return onOff(words, &p.saves) }),
		"trust":     early(func(p *play, words string) error { return onOff(words, &p.trusted) }),
		"limit":     early((*play).setLimit),
		"compact":   none((*play).compact),
		"steps":     early((*play).setSteps),
		"waits":     early((*play).setWaits),
		"folders":   early(func(p *play, words string) error { return onOff(words, &p.folders) }),
		"session":   early(func(p *play, words string) error { p.use(words); return nil }),
		"mode":      none((*play).setMode),
		"open":      named((*play).open, 1),
		"close":     none(func(p *play, words string) error { p.editor.Close(p.uri(words)); return nil }),
		"save":      none(func(p *play, words string) error { p.editor.SaveFile(p.uri(words)); return nil }),
		"type":      named((*play).typing, 1),
		"delete":    none((*play).deleteLines),
		"select":    none((*play).choose),
		"undo":      none(func(p *play, _ string) error { return done(p.editor.Undo(), "undo") }),
		"redo":      none(func(p *play, _ string) error { return done(p.editor.Redo(), "redo") }),
		"write":     {do: (*play).write, section: 1, early: true},
		"settings":  {do: (*play).settings, section: 0, early: true},
		"configure": named((*play).configure, 0),
		"remove":    early(func(p *play, words string) error { return os.Remove(filepath.Join(p.dir, words)) }),
		"edits":     none((*play).nextEdit),
		"attach":    none((*play).attach),
		"prompt":    none((*play).prompt),
		"inject":    none((*play).inject),
		"resume":    none((*play).resume),
		"fork":      none((*play).fork),
		"rewind":    expects((*play).rewind, 2),
		"cancel":    none((*play).cancel),
		"ends":      early((*play).ends),
		"fails":     early((*play).fails),
		"release":   early(func(p *play, _ string) error { return p.release() }),
		"pass":      early((*play).pass),
		"answer":    none((*play).answer),
		"accept":    none((*play).accept),
		"edit":      named((*play).acceptEdited, 0),
		"propose":   named((*play).propose, 1),
		"reject":    none(func(p *play, words string) error { return p.decide("reject", words, "pending accepted") }),
		"reopen":    none(func(p *play, words string) error { return p.decide("reopen", words, "accepted rejected conflicted") }),
		"kill":      early(func(p *play, _ string) error { return p.kill() }),
		"restart":   early(func(p *play, _ string) error { return p.restart() }),
		"load":      none((*play).load),
		"buffer":    expects((*play).buffer, 1),
		"disk":      expects((*play).disk, 1),
		"gone":      early((*play).gone),
		"queue":     expects((*play).queue, 0),
		"hunks":     expects((*play).hunks, 0),
		"updates":   expects((*play).updates, 0),
		"told":      expects((*play).told, 0),
		"written":   expects((*play).written, 0),
		"context":   expects((*play).context, 0),
		"exclude":   none((*play).exclude),
		"history":   expects((*play).history, 0),
		"question":  expects((*play).question, 0),
		"messages":  expects((*play).messages, 0),
		"marks":     expects((*play).marks, 0),
		"status":    expects((*play).status, 0),
		"ran":       expects((*play).ran, 0),
	}
}

func onOff(words string, to *bool) error {
	if words != "on" && words != "off" {
		return fmt.Errorf("%q is neither on nor off", words)
	}
	*to = words == "on"
	return nil
}

func done(label, what string) error {
	if label == "" {
		return fmt.Errorf("there is nothing to %s", what)
	}
	return nil
}

// setWaits sets what waits for the user's decisions on edits.
func (p *play) setWaits(words string) error {
	p.waits = settings.EditsWait(words)
	if !slices.Contains([]settings.EditsWait{settings.WaitTurn, settings.WaitAlways, settings.WaitNever}, p.waits) {
		return fmt.Errorf("waits %q; want turn, always or never", words)
	}
	return nil
}

func (p *play) setSteps(words string) (err error) {
	p.steps, err = strconv.Atoi(words)
	return err
}

// setMode changes the mode of the session, or sets its initial mode.
func (p *play) setMode(words string) error {
	if p.session.id == "" {
		return p.newSession(words)
	}
	return p.request("emendo/session/setMode", object{"sessionId": p.session.id, "mode": words}, nil)
}

// newSession makes the session, in a mode if one is named.
func (p *play) newSession(mode string) error {
	var made struct {
		Session struct {
			SessionID string `json:"sessionId"`
		} `json:"session"`
	}
	if err := p.request("emendo/session/new", object{"mode": mode}, &made); err != nil {
		return err
	}
	p.session.id = made.Session.SessionID
	return nil
}

// open opens a file as it is on disk, or a document with the text of a section.
func (p *play) open(words string) error {
	name, section := word(words)
	text, _ := p.script.section(section)
	if section == "" {
		b, err := os.ReadFile(filepath.Join(p.dir, name))
		if err != nil {
			return err
		}
		text = string(b)
	}
	p.editor.Open(p.uri(name), text)
	return nil
}

// typing changes a buffer by s/old/new/ (or s|old|new|), or to the text of a section.
func (p *play) typing(words string) error {
	name, how := word(words)
	uri := p.uri(name)
	if !p.editor.IsOpen(uri) {
		return fmt.Errorf("%s is not open", name)
	}
	if isSubstitution(how) {
		return substitute(p.editor.Editor, uri, how)
	}
	text, _ := p.script.section(how)
	rewriteBuffer(p.editor.Editor, uri, text)
	return nil
}

// span reads lines counted from one, "3" or "3-5", as offsets in a text.
func span(text *ide.Text, words string) (a, b int, err error) {
	from, to, ok := strings.Cut(words, "-")
	if !ok {
		to = from
	}
	first, err1 := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	if err := errors.Join(err1, err2); err != nil || first < 1 || last < first {
		return 0, 0, fmt.Errorf("%q names no lines", words)
	}
	return text.LineStart(first - 1), text.LineStart(last), nil
}

func (p *play) deleteLines(words string) error {
	name, at := word(words)
	uri := p.uri(name)
	a, b, err := span(ide.NewText(p.editor.Text(uri)), at)
	if err != nil {
		return err
	}
	p.editor.Type(uri, a, b, "")
	return nil
}

// choose selects whole lines, or puts the cursor before one.
func (p *play) choose(words string) error {
	name, at := word(words)
	uri := p.uri(name)
	text := ide.NewText(p.editor.Text(uri))
	a, b, err := span(text, at)
	if err != nil {
		return err
	}
	if !strings.Contains(at, "-") {
		b = a
	}
	return p.editor.Notify("emendo/editor/didChangeContext", object{
		"activeEditor": object{"uri": uri, "selections": []ide.Range{text.Range(a, b, ide.UTF16)}},
		"openEditors":  []object{{"uri": uri}},
	})
}

// write changes a file behind the editor's back.
func (p *play) write(words string) error {
	name, section := word(words)
	text, _ := p.script.section(section)
	return write(filepath.Join(p.dir, name), text)
}

// nextEdit sets how the editor handles the next edit.
func (p *play) nextEdit(words string) error {
	how, rest := word(words)
	var a idetest.Answer
	var err error
	switch how {
	case "refused":
		a.Refuse = errors.New("the buffer is locked")
	case "untrue":
		a.Lie = true
	case "unanswered":
		a.Never = true
	case "late":
		a.Late, err = time.ParseDuration(rest)
	case "typing": // the user types while the edit is on its way
		a.Before = func() {
			if err := p.typing(rest); err != nil {
				p.t.Error(err)
			}
		}
	default:
		err = fmt.Errorf("an editor does not take edits %q", how)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.edits = append(p.edits, a)
	return err
}

// attach links lines of a file to the next prompt.
func (p *play) attach(words string) error {
	name, at := word(words)
	uri := p.uri(name)
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	if p.editor.IsOpen(uri) {
		text, err = []byte(p.editor.Text(uri)), nil
	}
	if err != nil {
		return err
	}
	from, to, err := span(ide.NewText(string(text)), at)
	if err != nil {
		return err
	}
	r := ide.NewText(string(text)).Range(from, to, ide.UTF16)
	p.attached = append(p.attached, object{"type": "resource_link", "name": name, "uri": uri, "_meta": object{"range": r}})
	return nil
}

// prompt sends a prompt. It does not wait for the end of the turn.
func (p *play) prompt(words string) error {
	if !p.kind.plugged() {
		return p.promptByCommand(words)
	}
	if p.session.id == "" {
		if err := p.newSession(""); err != nil {
			return err
		}
	}
	t := &turn{done: make(chan struct{})}
	params := object{"sessionId": p.session.id, "prompt": append(p.attached, object{"type": "text", "text": words})}
	p.attached = nil
	go func() { // ends with the answer, or with the connection
		defer close(t.done)
		var end struct {
			StopReason string `json:"stopReason"`
		}
		t.err = p.editor.Call(context.Background(), "emendo/session/prompt", params, &end)
		t.stop = end.StopReason
	}()
	p.settle()
	if p.refusing && t.over() {
		return t.err
	}
	if p.session.turn != nil {
		return errors.New("the end of the turn before was not looked at")
	}
	p.session.turn = t
	return nil
}

// promptByCommand is prompt for a client with commands only.
func (p *play) promptByCommand(words string) error {
	var begun struct {
		SessionID string `json:"sessionId"`
	}
	arguments := []object{{"prompt": words}}
	if p.session.id != "" {
		arguments[0]["sessionId"] = p.session.id
	}
	if err := p.command("emendo.ask", arguments, &begun); err != nil {
		return err
	}
	p.session.id = begun.SessionID
	p.settle()
	token, err := p.progress()
	p.session.turn = &turn{token: token}
	return err
}

// progress returns the token of the last progress.
func (p *play) progress() (string, error) {
	all := p.editor.Seen().Progress
	if len(all) == 0 {
		return "", errors.New("no progress is shown")
	}
	return string(all[len(all)-1].Token), nil
}

func (p *play) command(name string, arguments, result any) error {
	return p.request("workspace/executeCommand", object{"command": name, "arguments": arguments}, result)
}

// cancel cancels the turn, or the call of that number; a client without the plugin
// cancels the progress that it shows.
func (p *play) cancel(words string) error {
	if !p.kind.plugged() {
		token, err := p.progress()
		if err != nil {
			return err
		}
		return p.editor.Notify("window/workDoneProgress/cancel", object{"token": json.RawMessage(token)})
	}
	params := object{"sessionId": p.session.id}
	if words != "" {
		n, err := strconv.Atoi(words)
		if err != nil || n < 1 || n > len(p.session.told.calls) {
			return fmt.Errorf("there is no call %q", words)
		}
		params["toolCallId"] = p.session.told.calls[n-1]
	}
	return p.editor.Notify("emendo/session/cancel", params)
}

func (p *play) ends(words string) error {
	t, err := p.wait()
	if err != nil {
		return err
	}
	if t.err != nil {
		return fmt.Errorf("it failed with %s: %w", code(t.err), t.err)
	}
	if t.stop != words {
		return fmt.Errorf("it ended with %s", t.stop)
	}
	return nil
}

// fails waits for the end of the turn, which is an error with a code and, in its
// message or its data, words.
func (p *play) fails(words string) error {
	t, err := p.wait()
	if err != nil {
		return err
	}
	if t.err == nil {
		return fmt.Errorf("it ended with %s", t.stop)
	}
	want, text := word(words)
	var e *rpc.Error
	if !errors.As(t.err, &e) || code(e) != want || !strings.Contains(fmt.Sprintf("%s %s", e.Message, e.Data), text) {
		return fmt.Errorf("it failed with %s: %w", code(t.err), t.err)
	}
	return nil
}

// refused runs a verb that must fail with a code.
func (p *play) refused(words string) error {
	want, rest := word(words)
	name, rest := word(rest)
	p.refusing = true
	err := verbs[name].do(p, rest)
	p.refusing = false
	p.settle()
	switch {
	case err == nil:
		return errors.New("it was not refused")
	case code(err) != want:
		return fmt.Errorf("it was refused with %s: %w", code(err), err)
	}
	return p.listen()
}

// pass lets time pass.
func (p *play) pass(words string) error {
	d, err := time.ParseDuration(words)
	if err != nil {
		return err
	}
	t := time.NewTimer(d)
	defer t.Stop()
	<-t.C
	return nil
}

// load shows the session's history again, as an editor does after a reconnect. A
// restarted server knows the session by its id.
func (p *play) load(string) error {
	return p.request("emendo/session/load", object{"sessionId": p.session.id}, nil)
}
