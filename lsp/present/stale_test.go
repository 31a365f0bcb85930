package present_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
	"github.com/emendo-dev/emendo/lsp/lsptest"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// stale is a client that draws the window and two conversations, one that asks and one in which
// prompts wait, and whose user does what was offered a while ago.
type stale struct {
	*worldtest.World
	r           *rand.Rand
	asks, queue string // sessions
	uris        []string

	mu       sync.Mutex
	folds    map[string]*viewtest.Fold // by session; empty: the window's
	versions map[string]int64
	early    map[string][]viewVersion // heard before the fold began
	made     int                      // texts, of which no two are the same

	past          []seenView
	done, refused int
}

// viewVersion has the changes of a view's next version.
type viewVersion struct {
	SessionID string
	Version   int64
	Changes   []view.Change
}

// seenView is what the client had of a view.
type seenView struct {
	of      string
	version int64
	waiting
}

// waiting has all that a user decides on.
type waiting struct {
	hunks     map[string]view.HunkView // all that wait
	questions map[string]view.Question
	prompts   map[string]string // that wait: their texts
	files     []string
}

// staleActs is how many acts a client does, of which the last come after a restart.
const staleActs = 125

// When users act on a view of a while ago nothing is decided that came or changed since, also
// after a restart; if it is not done they read why.
func TestStaleActsDecideNothingNewer(t *testing.T) {
	seeds := 2
	if *whole { // 1,000 acts
		seeds = 8
	}
	can := lsptest.Recorded("helix").With("experimental.emendo", worldtest.Obj{"view": 1, "permission": true, "changes": true, "queue": true})
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			worldtest.Play(t, can, nil, func(w *worldtest.World) {
				s := &stale{World: w, r: rand.New(rand.NewPCG(uint64(seed), 2))}
				w.Model.Answer = s.answer
				w.Editor.Heard = s.heard
				s.begin()
				for n := range staleActs {
					for range s.r.IntN(4) {
						s.disturb()
					}
					s.remember()
					if n == staleActs*3/4 {
						s.Restart(can)
						s.begin()
					}
					s.act()
				}
				if s.done < staleActs/10 || s.refused < staleActs/10 {
					t.Errorf("%d acts were done, and %d refused", s.done, s.refused)
				}
			})
		})
	}
}

// answer has the model run a command in one session, and wait in the other.
func (s *stale) answer(req model.Request) modeltest.Reply {
	raw, _ := json.Marshal(req.Messages)
	if strings.Contains(string(raw), "wait for it") {
		return modeltest.Reply{worldtest.Forever}
	}
	return worldtest.Run("touch " + s.text())
}

// text returns a text that there was not before.
func (s *stale) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return fmt.Sprint("text", s.made)
}

func (s *stale) heard(method string, raw json.RawMessage) {
	var p viewVersion
	if method != "emendo/view/didChange" || json.Unmarshal(raw, &p) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fold := s.folds[p.SessionID]
	if fold == nil { // the answer that begins it is on its way to begin
		s.early[p.SessionID] = append(s.early[p.SessionID], p)
		return
	}
	s.follow(fold, p)
}

// follow applies the changes of the version after the last one.
func (s *stale) follow(fold *viewtest.Fold, v viewVersion) {
	if v.Version != s.versions[v.SessionID]+1 {
		s.Errorf("version %d came after %d", v.Version, s.versions[v.SessionID])
	}
	s.versions[v.SessionID] = v.Version
	fold.Apply(v.Changes)
}

// begin opens the documents and views, and begins the turns, with a server that was started.
func (s *stale) begin() {
	s.mu.Lock()
	s.folds, s.versions, s.early = map[string]*viewtest.Fold{}, map[string]int64{}, map[string][]viewVersion{}
	s.mu.Unlock()
	first := s.uris == nil
	if first {
		s.asks, s.queue = s.Session(nil), s.Session(nil)
	}
	for n := range 4 {
		name := fmt.Sprintf("f%d.txt", n)
		if first {
			s.uris = append(s.uris, s.URI(name))
			s.Write(name, strings.Repeat("same\n", 40))
		}
		if n < 2 { // the others are closed
			s.Editor.Open(s.uris[n], s.Read(name))
		}
	}
	s.Advance()
	for _, id := range []string{"", s.asks, s.queue} {
		of := worldtest.Obj{"bodies": true}
		if id != "" {
			of["sessionId"] = id
		}
		var v view.View
		s.Call("emendo/view/get", of, &v)
		f := viewtest.New(v.Items)
		f.Questions = v.Questions
		f.SetHunks(v.Hunks)
		s.mu.Lock()
		s.folds[id], s.versions[id] = f, v.Version
		for _, next := range s.early[id] {
			s.follow(f, next)
		}
		s.mu.Unlock()
	}
	s.Prompting(s.Context(), s.queue, "wait for it")
}

// disturb lets something happen that the user did not see when they decided.
func (s *stale) disturb() {
	uri := s.uris[s.r.IntN(len(s.uris))]
	switch s.r.IntN(8) {
	case 0, 1, 2:
		text := ""
		if path := s.Editor.Text(uri); path != "" {
			text = path
		}
		line := s.r.IntN(max(strings.Count(text, "\n"), 30) - 3)
		of := worldtest.Obj{"start": worldtest.Obj{"line": line, "character": 0}, "end": worldtest.Obj{"line": line + s.r.IntN(3), "character": 0}}
		p := worldtest.Obj{"uri": uri, "range": of, "newText": s.text() + "\n", "title": "Change it"}
		if s.r.IntN(2) == 0 {
			p["sessionId"] = s.asks
		}
		_ = s.Editor.Call(s.Context(), "emendo/changes/propose", p, nil) // there may be none
	case 3:
		text := s.Editor.Text(s.uris[0])
		at := s.r.IntN(len(text) + 1)
		s.Editor.Type(s.uris[0], at, at, "x")
	case 4:
		s.mu.Lock()
		idle := len(s.folds[s.asks].Questions) == 0
		s.mu.Unlock()
		if idle {
			s.Prompting(s.Context(), s.asks, "run something")
		}
	case 5, 6:
		_ = s.Editor.Call(s.Context(), "emendo/session/inject", worldtest.InjectionOf(s.queue, s.text()), nil)
	default:
		now := s.now()
		if l := slices.Sorted(maps.Keys(now.prompts)); len(l) > 0 {
			s.do(s.queue, s.version(s.queue), l[s.r.IntN(len(l))], "edit", worldtest.Obj{"text": s.text()})
		}
	}
	s.Advance()
}

// now returns what waits for the user.
func (s *stale) now() waiting {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := waiting{hunks: maps.Clone(s.folds[""].Hunks()), questions: map[string]view.Question{}, prompts: map[string]string{}}
	for _, q := range s.folds[""].Questions {
		n.questions[q.ID] = q
	}
	for _, i := range s.folds[s.queue].Items() {
		if i.Kind == view.KindQueued {
			n.prompts[i.ID] = i.Parts[0].Text
		}
	}
	for _, i := range s.folds[""].Items() {
		if i.Kind == view.KindFile {
			n.files = append(n.files, i.ID)
		}
	}
	return n
}

// version returns the version of a view that the client has.
func (s *stale) version(of string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.versions[of]
}

// remember notes what the client has of each view.
func (s *stale) remember() {
	now := s.now()
	for _, of := range []string{"", s.asks, s.queue} {
		s.past = append(s.past, seenView{of, s.version(of), now})
	}
	s.past = s.past[max(0, len(s.past)-30):]
}

// do does an action, and returns why it was not done.
func (s *stale) do(of string, version int64, id, action string, more worldtest.Obj) error {
	p := worldtest.Obj{"id": id, "actionId": action, "version": version}
	if of != "" {
		p["sessionId"] = of
	}
	maps.Copy(p, more)
	err := s.Editor.Call(s.Context(), "emendo/view/act", p, nil)
	synctest.Wait()
	return err
}

// choose returns what the user does with something that they saw.
func (s *stale) choose(v seenView) (id, action string, more worldtest.Obj) {
	one := func(l []string) string { return l[s.r.IntN(len(l))] }
	hunks, questions, prompts := slices.Sorted(maps.Keys(v.hunks)), slices.Sorted(maps.Keys(v.questions)), slices.Sorted(maps.Keys(v.prompts))
	switch n := s.r.IntN(6); {
	case v.of == s.queue && len(prompts) > 0:
		return one(prompts), one([]string{"remove", "edit", "up", "down", "front"}), worldtest.Obj{"text": s.text()}
	case v.of != s.queue && n < 2 && len(questions) > 0:
		return one(questions), one([]string{"allow_once", "reject_once"}), nil
	case v.of == "" && n < 4 && len(hunks) > 0:
		return one(hunks), one([]string{"accept", "reject", "rejectWhy", "dismiss", "edit"}), worldtest.Obj{"values": worldtest.Obj{"reason": []string{"no"}}}
	case v.of == "" && n < 5 && len(v.files) > 0:
		return one(v.files), one([]string{"accept", "reject", "dismiss"}), nil
	}
	return view.StatusID, one([]string{"acceptAll", "rejectAll", "keepAll"}), nil
}

// act does something with what the user saw, and checks what became of the rest.
func (s *stale) act() {
	v := s.past[s.r.IntN(len(s.past))]
	id, action, more := s.choose(v)
	s.Advance()
	before := s.now()
	err := s.do(v.of, v.version, id, action, more)
	s.Advance()
	after := s.now()
	what := fmt.Sprintf("%s of %s in version %d of %q", action, id, v.version, v.of)
	for hunk, was := range before.hunks {
		if _, waits := after.hunks[hunk]; waits { // another state may come of the edit that was made
			continue
		}
		seen, known := v.hunks[hunk]
		if !known || seen.State != was.State || !reflect.DeepEqual(seen.Rows, was.Rows) {
			s.Errorf("%s (error %v) decided %s %s %q %+v, and seen was %s %q %+v", what, err, was.ID, was.State, was.Label.Text, was.Marks, seen.State, seen.Label.Text, seen.Marks)
		}
	}
	for question := range before.questions {
		if _, open := after.questions[question]; !open && (question != id || v.questions[id].ID != id) {
			s.Errorf("%s answered %s", what, question)
		}
	}
	for prompt, text := range before.prompts {
		if now, waits := after.prompts[prompt]; (!waits || now != text) && (prompt != id || v.prompts[id] != text) {
			s.Errorf("%s made %q of the prompt %q, and seen was %q", what, now, text, v.prompts[prompt])
		}
	}
	if err == nil {
		s.done++
		return
	}
	s.refused++
	if told := toldBy(s.T, err); told.Text == nil || told.Text.Text == "" || opaque.MatchString(told.Text.Text) {
		s.Errorf("%s was refused with %v, which the user reads as %+v", what, err, told.Text)
	}
}

// opaque matches IDs, which tell a user nothing.
var opaque = regexp.MustCompile(`(id|file|ask|cs|call|turn)[-_]?\d|-[A-Z2-7]{10}|[0-9a-f]{12}`)
