package sessiontest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/idetest"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/sandbox/sandboxtest"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/tools/web/webtest"
)

// play is a running script: the user with the editor, and the world around the
// server.
type play struct {
	t      *testing.T
	script *script
	dir    string // the workspace
	state  string // where the server keeps its files
	home   string // holds the states of servers that were killed

	server  *process // the one that runs, or ran last
	kind    kind
	saves   bool // the editor saves when it is asked to
	trusted bool
	folders bool               // the model is shown the tree of the workspace
	steps   int                // model requests in a turn; 0: as many as usual
	waits   settings.EditsWait // empty: always
	limit   atomic.Int64       // tokens that the model takes; 0: as many as usual

	model *modeltest.Script
	spawn *sandboxtest.Spawner
	web   webtest.Site
	holds []chan struct{}

	editor *lsptest.Editor // nil before it is needed
	up     bool            // its server runs
	heard  int             // updates that were taken in
	read   int             // messages that were looked at

	edits []idetest.Answer // to the next edits; none: all well

	sessions map[string]*session
	session  *session // the one in use
	refusing bool     // the verb is to be refused
	attached []object // blocks that go with the next prompt

	mu        sync.Mutex
	ids       int
	questions []*question // that wait for the user
}

// session is a conversation as the user knows it.
type session struct {
	name string
	id   string // empty before it is needed
	turn *turn  // the last one whose end was not looked at
	told teller
	next int64 // number of the next update

	queue json.RawMessage // the last update of the queue; nil: none came
}

// turn is a prompt under way.
type turn struct {
	done chan struct{}
	stop string // once done is closed
	err  error

	token string // of the progress that shows a command's turn, in place of done
}

func (t *turn) over() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// start creates the world of a script.
func start(t *testing.T, s *script, dir, home string) (*play, error) {
	p := &play{
		t: t, script: s, dir: dir, home: home, state: filepath.Join(home, "state"),
		kind: reviewing, saves: true, trusted: true, sessions: map[string]*session{},
		model: &modeltest.Script{}, spawn: &sandboxtest.Spawner{},
	}
	for name, text := range s.files() {
		if err := write(filepath.Join(dir, name), text); err != nil {
			return nil, err
		}
	}
	p.use("one")
	text, _ := s.section("model")
	var err error
	if p.model.Replies, err = replies(text, p.hold); err != nil {
		return nil, err
	}
	text, _ = s.section("commands")
	if p.spawn.Scripts, err = commands(text); err != nil {
		return nil, err
	}
	text, _ = s.section("web")
	p.web, err = site(text)
	return p, err
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// hold adds a hold to the model's stream.
func (p *play) hold() <-chan struct{} {
	c := make(chan struct{})
	p.holds = append(p.holds, c)
	return c
}

func (p *play) release() error {
	if len(p.holds) == 0 {
		return errors.New("nothing is held")
	}
	close(p.holds[0])
	p.holds = p.holds[1:]
	return nil
}

func (p *play) newID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ids++
	return fmt.Sprintf("id-%d", p.ids)
}

// use switches to the session of that name.
func (p *play) use(name string) {
	if p.sessions[name] == nil {
		p.sessions[name] = &session{name: name, next: 1, told: teller{named: p.named}}
	}
	p.session = p.sessions[name]
}

// run plays every line and reports which one failed.
func (p *play) run() error {
	for _, l := range p.script.lines {
		if err := p.do(l); err != nil {
			return fmt.Errorf("%s:%d: %s %s: %w", p.script.path, l.number, l.verb, l.rest, err)
		}
	}
	return nil
}

func (p *play) do(l line) error {
	if !verbs[l.verb].early {
		if _, err := p.connected(); err != nil {
			return err
		}
	}
	if l.verb == "refused" {
		return p.refused(l.rest)
	}
	err := verbs[l.verb].do(p, l.rest)
	p.settle()
	return errors.Join(err, p.listen())
}

// onEdit returns how the editor answers an edit.
func (p *play) onEdit(int, ide.Edit) (a idetest.Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.edits) > 0 {
		a, p.edits = p.edits[0], p.edits[1:]
	}
	return a
}

// settle returns when every goroutine waits.
func (p *play) settle() { synctest.Wait() }

// listen records what the server has sent, and reports what it should not have
// sent.
func (p *play) listen() error {
	if p.editor == nil {
		return nil
	}
	seen := p.editor.Seen()
	for _, x := range seen.Updates[p.heard:] {
		p.heard++
		s := p.byID(x.SessionID)
		if s == nil {
			return fmt.Errorf("an update of a session %q that nobody made", x.SessionID)
		}
		if x.Kind() == "_emendo/queue" { // it is not part of the history, and has no number
			s.queue = x.Update
			continue
		}
		if !x.Replay && x.Seq != s.next {
			return fmt.Errorf("update %d of session %s comes where %d is due", x.Seq, s.name, s.next)
		}
		s.next = max(s.next, x.Seq+1) // a replay may have what a killed server did not send
		u, err := readUpdate(x)
		if err != nil {
			return err
		}
		s.told.tell(u)
	}
	if len(seen.Wrong) > 0 {
		return errors.New(strings.Join(seen.Wrong, "; "))
	}
	return nil
}

func (p *play) byID(id string) *session {
	for _, s := range p.sessions {
		if s.id == id {
			return s
		}
	}
	return nil
}

// end ends the world. When the script is complete, nothing may be left over.
func (p *play) end(complete bool) error {
	var errs []error
	if complete {
		errs = append(errs, p.leftovers()...)
	}
	for len(p.holds) > 0 {
		errs = append(errs, p.release())
	}
	if p.up {
		errs = append(errs, p.editor.End())
	}
	p.settle()
	if n := p.spawn.Running(); n > 0 {
		errs = append(errs, fmt.Errorf("%d commands are left running", n))
	}
	return errors.Join(errs...)
}

// leftovers returns what the script did not check.
func (p *play) leftovers() (errs []error) {
	if n := len(p.model.Replies); n > 0 {
		errs = append(errs, fmt.Errorf("the model was not asked for its last %d replies", n))
	}
	for _, s := range p.sessions {
		if s.turn != nil {
			errs = append(errs, fmt.Errorf("the end of the last turn of session %s was not looked at", s.name))
		}
	}
	if n := len(p.questions); n > 0 {
		errs = append(errs, fmt.Errorf("%d questions were not answered", n))
	}
	return errs
}

// stable returns a text without what differs between machines.
func (p *play) stable(text string) string {
	var b strings.Builder
	for l := range strings.Lines(p.named(text)) {
		b.WriteString(strings.TrimRight(l, " \t\r\n") + "\n")
	}
	return b.String()
}

// named returns a text in which folders and the machine have names.
func (p *play) named(text string) string {
	return strings.NewReplacer(
		p.dir, "$WORK", p.home, "$HOME", runtime.GOOS+" on "+runtime.GOARCH, "$OS", string(filepath.Separator), "/",
	).Replace(text)
}

// wait waits for the end of the session's turn, as long as a user would.
func (p *play) wait() (*turn, error) {
	t := p.session.turn
	if t == nil {
		return nil, errors.New("no turn was begun")
	}
	late := time.NewTimer(time.Hour)
	defer late.Stop()
	for t.token != "" && !p.shownToEnd(t.token) {
		select {
		case <-time.After(100 * time.Millisecond):
		case <-late.C:
			return nil, errLate
		}
	}
	if t.token == "" {
		select {
		case <-t.done:
		case <-late.C:
			return nil, errLate
		}
	}
	p.session.turn = nil
	return t, nil
}

var errLate = errors.New("the turn did not end within an hour")

// shownToEnd reports whether a progress has ended.
func (p *play) shownToEnd(token string) bool {
	return slices.ContainsFunc(p.editor.Seen().Progress, func(x lsptest.Progress) bool {
		return string(x.Token) == token && x.Value.Kind == "end"
	})
}

// code returns the code of an error on the wire: emendo's own, or the number; for a
// decision that was not carried out it is conflict.
func code(err error) string {
	if errors.As(err, &conflict{}) {
		return "conflict"
	}
	var e *rpc.Error
	if !errors.As(err, &e) {
		return "none"
	}
	var data struct {
		Code string `json:"code"`
	}
	if decoded(e.Data, &data) && data.Code != "" {
		return data.Code
	}
	return fmt.Sprint(e.Code)
}

// request sends a request to the server and waits for the answer.
func (p *play) request(method string, params, result any) error {
	e, err := p.connected()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(p.t.Context(), time.Hour)
	defer cancel()
	return e.Call(ctx, method, params, result)
}
