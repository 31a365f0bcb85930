package demo

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/replay"
	"github.com/emendo-dev/emendo/ide/diff"
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

// Play plays the demo to its end. What it says on the way is on Out; an error
// is a failure of the program, or what ended ctx.
func Play(ctx context.Context, o Options) error {
	file, err := unpack(o.Dir)
	if err != nil {
		return err
	}
	g, err := recorded(o)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	fromEditor, toServer := io.Pipe()
	fromServer, toEditor := io.Pipe()
	incoming := make(chan message, queued)
	var both sync.WaitGroup
	var served error
	both.Go(func() {
		served = o.Serve(ctx, fromEditor, toEditor, g)
		_ = toEditor.Close() // a pipe in memory: it cannot fail
	})
	both.Go(func() { listen(ctx, fromServer, incoming) })

	s := story{screen: &screen{w: o.Out, colour: o.Colour, paced: o.Paced}, dir: o.Dir, command: o.Command, before: file.text}
	e := &editor{
		connection: connection{w: toServer, incoming: incoming, answers: map[string]message{}},
		screen:     s.screen, user: &s, open: file, calls: map[string]string{}, seen: map[string]bool{},
	}
	err = s.tell(ctx, e)
	if err != nil {
		cancel()
	}
	_ = toServer.Close()
	both.Wait()
	_ = fromServer.Close()
	cancel()
	return errors.Join(err, served, s.screen.err)
}

// unpack writes the project into dir and opens the file with the bug.
func unpack(dir string) (*buffer, error) {
	sources, err := fs.Sub(project, "testdata/parking")
	if err == nil {
		err = os.CopyFS(dir, sources)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.mod"), []byte(moduleFile), 0o600)
	}
	path := filepath.Join(dir, "fee.go")
	var text []byte
	if err == nil {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("unpacking the demo's project: %w", err)
	}
	return &buffer{path: path, uri: fileURI(path), text: string(text), version: 1}, nil
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

// fileURI is the URI of an absolute path.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") { // a drive of Windows
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// story is what happens, and the user it happens to.
type story struct {
	screen  *screen
	dir     string
	command string
	before  string // the file on the disk when the story begins
}

// tell plays it from the first scene to the last.
func (s *story) tell(ctx context.Context, e *editor) error {
	s.greet(ctx)
	if err := e.begin(ctx, s.dir); err != nil {
		return err
	}
	if err := s.typeAndSelect(ctx, e); err != nil {
		return err
	}
	var made struct{ Session struct{ SessionID string } }
	if err := e.request(ctx, "emendo/session/new", object{}, &made); err != nil {
		return err
	}
	for _, prompt := range []string{"Why do 90 minutes cost 2.50 and not 5.00?", "Fix it."} {
		s.screen.user(ctx, prompt)
		stop, err := e.prompt(ctx, made.Session.SessionID, prompt)
		if err != nil {
			return err
		}
		if stop != "end_turn" {
			return fmt.Errorf("the turn ended as %s", stop)
		}
		s.screen.pause(ctx, while)
	}
	if err := s.conclude(e); err != nil {
		return err
	}
	return e.end(ctx)
}

func (s *story) greet(ctx context.Context) {
	c := s.screen
	c.line("")
	c.line("  " + c.paint(bold, "emendo") + " is a coding agent that is a language server: it lives in your editor.")
	c.line("")
	c.line("  " + c.paint(dim, "Here it works on a throw-away Go project, a car park's tariff with a bug. The"))
	c.line("  " + c.paint(dim, "server is the real one, the editor a small one, and the model a recording: no"))
	c.line("  " + c.paint(dim, "key, no network. All else happens as you see it."))
	c.pause(ctx, 2*while)
}

// typeAndSelect raises the price in the editor, without saving, and selects
// what the question is about.
func (s *story) typeAndSelect(ctx context.Context, e *editor) error {
	c := s.screen
	if err := e.edit([]textEdit{{Range: e.open.find("200"), NewText: "250"}}); err != nil {
		return err
	}
	from, to := e.open.find("const ("), e.open.find("return hours * perHour\n}\n")
	chosen := span{from.Start, to.End}
	if err := e.selects(chosen); err != nil {
		return err
	}
	c.rule("fee.go ●", "you typed 250 over 200, did not save, and selected this")
	c.code(chosen.Start.Line+1, e.open.lines(chosen.Start.Line, chosen.End.Line), true)
	c.pause(ctx, while)
	return nil
}

// changeSet is what the demo looks at in a change set.
type changeSet struct {
	ID    string `json:"changeSetId"`
	State string
	Files []struct {
		Hunks []hunk
	}
}

type hunk struct {
	ID      string `json:"hunkId"`
	Range   span
	OldText string
	NewText string
}

// review implements [user]: the first hunk is what was asked for, the second is
// not.
func (s *story) review(ctx context.Context, e *editor, set changeSet) error {
	if len(set.Files) != 1 || len(set.Files[0].Hunks) != 2 {
		return errors.New("the proposal is not the two hunks that it should be")
	}
	hunks := set.Files[0].Hunks
	for i, h := range hunks {
		s.showHunk(e, fmt.Sprintf("hunk %d of %d", i+1, len(hunks)), h)
		s.screen.pause(ctx, while)
		var err error
		if i == 0 {
			err = s.decide(ctx, e, set.ID, h, "accept", "")
		} else {
			err = s.decide(ctx, e, set.ID, h, "reject", "Nobody asked for that: leave the receipt as it is.")
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

func (s *story) showHunk(e *editor, title string, h hunk) {
	c := s.screen
	from, to := h.Range.Start.Line, h.Range.End.Line
	c.rule("proposed for fee.go", title)
	c.code(from-around+1, e.open.lines(from-around, from), false)
	c.changed(from+1, "-", red, h.OldText)
	c.changed(from+1, "+", green, h.NewText)
	c.code(to+1, e.open.lines(to, to+around), false)
	c.line("       " + c.paint(dim, "[ ") + "Accept" + c.paint(dim, " | ") + "Reject" + c.paint(dim, " ]"))
}

func (s *story) decide(ctx context.Context, e *editor, set string, h hunk, action, comment string) error {
	var r struct{ Applied []string }
	params := object{"decisions": []object{{"changeSetId": set, "hunkId": h.ID, "action": action}}}
	if comment != "" {
		params["comment"] = comment
	}
	if err := e.request(ctx, "emendo/changes/resolve", params, &r); err != nil {
		return err
	}
	c := s.screen
	if action == "reject" {
		c.note(c.paint(red, "✗"), "you reject it: "+c.paint(yellow, "“"+comment+"”"))
		return nil
	}
	if !slices.Contains(r.Applied, h.ID) {
		return errors.New("the hunk that was accepted is not in the editor")
	}
	c.note(c.paint(green, "✓"), "you accept it: the editor has it as one undo step, still unsaved")
	return nil
}

// permission is what the demo looks at in a question.
type permission struct {
	Options []struct {
		ID   string `json:"optionId"`
		Kind string
	}
	Preview struct{ Command string }
}

// permit implements [user].
func (s *story) permit(ctx context.Context, _ *editor, q permission) string {
	c := s.screen
	c.rule("may this run?", "the model asks to")
	c.line("       " + c.paint(bold, "$ "+q.Preview.Command))
	c.line("       " + c.paint(dim, "[ ") + "Allow once" + c.paint(dim, " | ") + "Deny" + c.paint(dim, " ]"))
	c.pause(ctx, while)
	for _, o := range q.Options {
		if o.Kind == "allow_once" {
			c.note(c.paint(green, "✓"), "you allow it")
			return o.ID
		}
	}
	return ""
}

// conclude shows what is on the disk now and how to go on.
func (s *story) conclude(e *editor) error {
	if e.open.unsaved {
		if err := e.open.save(); err != nil {
			return err
		}
	}
	after, err := os.ReadFile(e.open.path)
	if err != nil {
		return err
	}
	c := s.screen
	c.rule("what has changed on the disk", "")
	c.diff(diff.Unified("a/fee.go", "b/fee.go", s.before, string(after)))
	c.line("")
	c.line("  The price is your own edit, the rounding the hunk that you accepted. Nothing")
	c.line("  else was touched, and the project is deleted again.")
	c.line("")
	c.line("  To use it: set " + c.paint(bold, "GEMINI_API_KEY") + ", and let your editor start " + c.paint(bold, "emendo lsp") + ".")
	c.line("  In a shell: " + c.paint(bold, `emendo run "explain this project"`))
	c.line("")
	return nil
}
