package demo

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/replay"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/diff"
	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// project is the car park that forgets the last hour. Its module file is here,
// since a folder with one of its own cannot be embedded.
//
//go:embed testdata/parking
var project embed.FS

const moduleFile = "module example.com/parking\n\ngo 1.21\n"

//go:embed testdata/recording.jsonl
var recording []byte

// Options of the demo. All but Colour and Paced are needed.
type Options struct {
	// Serve is the language server, which asks the generator for whatever model.
	Serve func(ctx context.Context, r io.Reader, w io.Writer, g model.Generator) error
	// Dir is an empty folder, absolute, links resolved; the project is put into it.
	Dir string
	// Command is what the model runs once the edit is decided.
	Command string
	Out     io.Writer
	Colour  bool
	Paced   bool // slow enough to be read along
}

// testCommand is the command in the recording.
const testCommand = "go test ./..."

// How long the reader gets on a terminal.
const (
	brief = 500 * time.Millisecond
	while = 1600 * time.Millisecond
)

// Play plays the demo to its end and prints it on Out. The error is a failure of
// the program, or the cause of ctx's end.
func Play(ctx context.Context, o Options) error {
	path, text, err := unpack(o.Dir)
	if err != nil {
		return err
	}
	g, err := recorded(o)
	if err != nil {
		return err
	}
	serving, stop := context.WithCancel(ctx)
	defer stop()
	serve := func(_ context.Context, r io.Reader, w io.Writer) error { return o.Serve(serving, r, w, g) }
	s := story{screen: &screen{w: o.Out, colour: o.Colour, paced: o.Paced}, path: path, before: text}
	s.greet(ctx)
	e, err := connect(ctx, o.Dir, path, text, &s, serve)
	if err != nil {
		return err
	}
	if err := s.play(ctx, e); err != nil {
		stop() // the server ends, and with it the connection
		return errors.Join(err, context.Cause(ctx), e.Vanish(), s.screen.err)
	}
	return errors.Join(e.End(), s.screen.err)
}

// unpack writes the project into dir and returns the file with the bug.
func unpack(dir string) (path, text string, err error) {
	sources, err := fs.Sub(project, "testdata/parking")
	if err == nil {
		err = os.CopyFS(dir, sources)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), []byte(moduleFile), 0o600)
	}
	path = filepath.Join(dir, "fee.go")
	var b []byte
	if err == nil {
		b, err = os.ReadFile(path)
	}
	if err != nil {
		return "", "", fmt.Errorf("unpack the demo's project: %w", err)
	}
	return path, string(b), nil
}

var delays = regexp.MustCompile(`"delayMs": \d+`)

// recorded is the model. Without a reader its words come at once.
func recorded(o Options) (*replay.Generator, error) {
	text := bytes.ReplaceAll(recording, []byte(testCommand), []byte(o.Command))
	if !o.Paced {
		text = delays.ReplaceAll(text, []byte(`"delayMs": 0`))
	}
	return replay.New("of the demo", bytes.NewReader(text))
}

// story is the script of the demo, and its user.
type story struct {
	screen *screen
	path   string // of the file with the bug
	before string // its text on the disk at the beginning
}

// play plays it from the first scene to the last.
func (s *story) play(ctx context.Context, e *editor) error {
	if err := s.typeAndSelect(ctx, e); err != nil {
		return err
	}
	var made struct{ Session struct{ SessionID string } }
	if err := e.call(ctx, "emendo/session/new", object{}, &made); err != nil {
		return err
	}
	for _, prompt := range []string{"Why do 90 minutes cost 2.50 and not 5.00?", "Fix it."} {
		s.screen.typePrompt(ctx, prompt)
		stop, err := e.prompt(ctx, made.Session.SessionID, prompt)
		if err != nil {
			return err
		}
		if stop != "end_turn" {
			return fmt.Errorf("the turn ended with %s", stop)
		}
		s.screen.pause(ctx, while)
	}
	return s.conclude(e)
}

func (s *story) greet(ctx context.Context) {
	c := s.screen
	c.line("")
	c.line("  " + c.paint(bold, "emendo") + " is a coding agent that is a language server: it lives in your editor.")
	c.line("")
	c.line("  " + c.paint(dim, "It now fixes a bug in a throw-away Go project, the tariff of a car park. The"))
	c.line("  " + c.paint(dim, "server is the real one, the editor a small one, and the model a recording: no"))
	c.line("  " + c.paint(dim, "key, no network. Everything else really happens."))
	c.pause(ctx, 2*while)
}

// typeAndSelect raises the price in the editor, without saving, and selects
// what the question is about.
func (s *story) typeAndSelect(ctx context.Context, e *editor) error {
	c := s.screen
	from, to := e.find("200")
	e.Type(e.uri, from, to, "250")
	from, _ = e.find("const (")
	_, to = e.find("return hours * perHour\n}\n")
	chosen := ide.NewText(e.text()).Range(from, to, ide.UTF8)
	err := e.Notify("emendo/editor/didChangeContext", object{
		"activeEditor": object{"uri": e.uri, "selections": []ide.Range{chosen}}, "openEditors": []object{{"uri": e.uri}},
	})
	if err != nil {
		return err
	}
	c.heading("fee.go ●", "you typed 250 over 200, did not save, and selected this")
	first := int(chosen.Start.Line)
	c.showLines(first+1, e.lines(first, int(chosen.End.Line)), true)
	c.pause(ctx, while)
	return nil
}

// review decides the hunks of a change set: the first hunk is what was asked for, the second is
// not.
func (s *story) review(ctx context.Context, e *editor, set lsptest.ChangeSet) error {
	if len(set.Files) != 1 || len(set.Files[0].Hunks) != 2 {
		return errors.New("the proposal does not have the expected two hunks")
	}
	hunks := set.Files[0].Hunks
	for i, h := range hunks {
		s.showHunk(e, fmt.Sprintf("hunk %d of %d", i+1, len(hunks)), h)
		s.screen.pause(ctx, while)
		var err error
		if i == 0 {
			err = s.decide(ctx, e, set.ChangeSetID, h, "accept", "")
		} else {
			err = s.decide(ctx, e, set.ChangeSetID, h, "reject", "Nobody asked for that: leave the receipt as it is.")
		}
		if err != nil {
			return err
		}
		s.screen.pause(ctx, brief)
	}
	return nil
}

// around is how many lines are shown before and after a hunk.
const around = 2

func (s *story) showHunk(e *editor, title string, h lsptest.Hunk) {
	c := s.screen
	from, to := int(h.Range.Start.Line), int(h.Range.End.Line)
	c.heading("proposed for fee.go", title)
	c.showLines(from-around+1, e.lines(from-around, from), false)
	c.changed(from+1, "-", red, h.OldText)
	c.changed(from+1, "+", green, h.NewText)
	c.showLines(to+1, e.lines(to, to+around), false)
	c.line("       " + c.paint(dim, "[ ") + "Accept" + c.paint(dim, " | ") + "Reject" + c.paint(dim, " ]"))
}

func (s *story) decide(ctx context.Context, e *editor, set string, h lsptest.Hunk, action, comment string) error {
	var r struct{ Applied []string }
	params := object{"decisions": []object{{"changeSetId": set, "hunkId": h.HunkID, "action": action}}}
	if comment != "" {
		params["comment"] = comment
	}
	// What follows from the last decision, such as a command, is shown after it.
	if err := e.Call(ctx, "emendo/changes/resolve", params, &r); err != nil {
		return fmt.Errorf("emendo/changes/resolve: %w", err)
	}
	c := s.screen
	if action == "reject" {
		c.markedLine(c.paint(red, "✗"), "you reject it: "+c.paint(yellow, "“"+comment+"”"))
		return nil
	}
	if !slices.Contains(r.Applied, h.HunkID) {
		return errors.New("the accepted hunk was not applied")
	}
	c.markedLine(c.paint(green, "✓"), "you accept it: it is in the editor as one undo step, still unsaved")
	return nil
}

// permit chooses an option of a question about a command.
func (s *story) permit(ctx context.Context, q lsptest.Question) string {
	c := s.screen
	c.heading("may this run?", "the model asks to")
	c.line("       " + c.paint(bold, "$ "+q.Preview.Command))
	c.line("       " + c.paint(dim, "[ ") + "Allow once" + c.paint(dim, " | ") + "Deny" + c.paint(dim, " ]"))
	c.pause(ctx, while)
	for _, o := range q.Options {
		if o.Kind == "allow_once" {
			c.markedLine(c.paint(green, "✓"), "you allow it")
			return o.OptionID
		}
	}
	return ""
}

// conclude shows what is on the disk now and how to go on.
func (s *story) conclude(e *editor) error {
	after, err := os.ReadFile(s.path)
	if err != nil {
		return err
	}
	c := s.screen
	c.heading("what has changed on the disk", "")
	c.diff(diff.Unified("a/fee.go", "b/fee.go", s.before, string(after)))
	c.line("")
	c.line("  The price is your own edit, the rounding is the hunk that you accepted. Nothing")
	c.line("  else was changed. The project is deleted now.")
	c.line("")
	c.line("  To use it: set " + c.paint(bold, "GEMINI_API_KEY") + ", and let your editor start " + c.paint(bold, "emendo lsp") + ".")
	c.line("  In a shell: " + c.paint(bold, `emendo run "explain this project"`))
	c.line("")
	return nil
}
