package lsp

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/present"
)

// problemsEvery is the shortest time between two questions for the problems of the file that
// the user looks at.
const problemsEvery = 2 * time.Second

// surroundings tell the window's view what stands in the way, and what emendo sees before a
// conversation begins.
type surroundings struct {
	client *client.Client
	status *statusTeller
	views  *present.Views

	keyless atomic.Bool // there is no key for any model

	mu       sync.Mutex
	asking   bool // for problems
	asked    time.Time
	file     ide.URI // that the problems are of
	problems int

	// Owned by the announcer's goroutine.
	put      map[string]view.Item
	welcomed time.Time // when the welcome was put
	looked   time.Time // when it was looked again for a key
}

func newSurroundings(s *statusTeller, views *present.Views) *surroundings {
	return &surroundings{client: s.client, status: s, views: views, put: map[string]view.Item{}}
}

// hostTried looks off the caller's goroutine whether a model can be asked.
func (s *surroundings) hostTried() {
	h := s.client.Host.Current()
	if h == nil || !s.client.Can.View {
		return
	}
	s.client.Go(func() {
		s.keyless.Store(!h.Program.SignedIn())
		s.client.Touch()
	})
}

// keyEvery is the shortest time between two looks for a key where there was none.
const keyEvery = 2 * time.Second

// welcomeEvery is the shortest time between two changes of the welcome: docs/protocol.md
// promises it.
const welcomeEvery = 500 * time.Millisecond

// putChanged puts what has changed, and returns how long until there is more to put; 0:
// nothing waits. It is called on the announcer's goroutine alone.
func (s *surroundings) putChanged(now time.Time) (next time.Duration) {
	if !s.client.Can.View {
		return 0
	}
	if s.keyless.Load() && now.Sub(s.looked) >= keyEvery { // the user may have signed in in a terminal
		s.looked = now
		s.hostTried()
	}
	stands := s.obstacles()
	for _, o := range view.Obstacles {
		about, is := stands[o]
		switch _, was := s.put[o.ID()]; {
		case is:
			s.putItem(o.Notice(about))
		case was:
			delete(s.put, o.ID())
			s.views.DropItem(o.ID())
		}
	}
	if wait := welcomeEvery - now.Sub(s.welcomed); wait > 0 {
		return wait
	}
	if s.putItem(view.Welcome(s.survey())) {
		s.welcomed = now
	}
	return 0
}

// putItem puts an item unless it is known as it is. It reports whether it was not.
func (s *surroundings) putItem(i view.Item) bool {
	if before, known := s.put[i.ID]; known && reflect.DeepEqual(before, i) {
		return false
	}
	s.put[i.ID] = i
	s.views.PutItem(i)
	return true
}

// obstacles returns what stands in the way, and what each is about.
func (s *surroundings) obstacles() map[view.Obstacle]string {
	l := map[view.Obstacle]string{}
	h, err := s.client.Host.State()
	if h == nil && err != nil {
		l[view.Broken] = visible.OneLine(err.Error())
	}
	if s.status.chat.Turns.SignedOut() || s.keyless.Load() {
		l[view.SignedOut] = ""
	}
	if !s.client.Folders.HasAny() {
		l[view.NoFolder] = ""
		return l // what is not trusted is no choice of the user's
	}
	if h != nil {
		if folder, ok := s.status.restricted(h); ok {
			l[view.Untrusted] = shortFolder(folder)
		}
	}
	return l
}

// survey returns what emendo sees.
func (s *surroundings) survey() view.Seen {
	var x view.Seen
	now := s.client.Workspace.Snapshot()
	f := s.client.Focus.Current()
	if f.Active != "" {
		x.File = s.nearby(f.Active)
		if d := now.Document(f.Active); d != nil {
			x.Unsaved = d.Unsaved
		}
		for _, r := range f.Selections {
			if r.Start != r.End {
				x.Selected += selectedLines(r)
			}
		}
	}
	x.Open = len(f.Open)
	if s.client.Folders.HasAny() {
		for _, r := range s.client.Folders.Roots() {
			x.Folders = append(x.Folders, shortFolder(r))
		}
	}
	if h := s.client.Host.Current(); h != nil {
		x.Sandbox = h.Agent.Process.SandboxLevel()
	}
	if ses := s.status.chat.Current.Session(); ses != nil {
		i := ses.Info()
		x.Model, x.Mode = i.Model, string(i.Mode)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == f.Active {
		x.Problems = s.problems
	}
	return x
}

// selectedLines returns how many lines a selection has; a line of which only the beginning is
// selected does not count.
func selectedLines(r ide.Range) int {
	n := int(r.End.Line) - int(r.Start.Line)
	if r.End.Character > 0 {
		n++
	}
	return max(1, n)
}

// nearby returns a file as the user knows it: below a folder of the workspace, or its name.
func (s *surroundings) nearby(u ide.URI) string {
	path := u.Path()
	if path == "" {
		return string(u)
	}
	for _, r := range s.client.Folders.Roots() {
		if below, err := filepath.Rel(r, path); err == nil && !strings.HasPrefix(below, "..") {
			return below
		}
	}
	return filepath.Base(path)
}

// shortFolder returns a folder without what is above its parent.
func shortFolder(path string) string {
	parent := filepath.Base(filepath.Dir(path))
	if parent == "/" || parent == "." {
		return path
	}
	return filepath.Join(parent, filepath.Base(path))
}

// focusMoved asks for the problems of the file that the user looks at, where they may be
// seen. It does not wait.
func (s *surroundings) focusMoved() {
	if !s.client.Can.View {
		return
	}
	s.client.Touch()
	file := s.client.Focus.Current().Active
	if file == "" || !s.client.Can.Diagnostics || !s.views.WindowOpen() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking || s.file == file && time.Since(s.asked) < problemsEvery {
		return
	}
	s.asking, s.asked = true, time.Now()
	s.client.Go(func() { s.askForProblems(file) })
}

func (s *surroundings) askForProblems(file ide.URI) {
	raw, err := s.client.Diagnostics(s.client.Life(), []ide.URI{file})
	n := 0
	if err == nil {
		n = countProblems(raw)
	}
	s.mu.Lock()
	s.asking, s.file, s.problems = false, file, n
	s.mu.Unlock()
	s.client.Touch()
}

// countProblems counts the diagnostics of an editor's reports that are not emendo's own.
func countProblems(reports json.RawMessage) (n int) {
	var files []struct {
		Diagnostics []struct {
			Source string `json:"source"`
		} `json:"diagnostics"`
	}
	if json.Unmarshal(reports, &files) != nil {
		return 0 // of a shape that is not LSP's
	}
	for _, f := range files {
		for _, d := range f.Diagnostics {
			if d.Source != "emendo" {
				n++
			}
		}
	}
	return n
}
