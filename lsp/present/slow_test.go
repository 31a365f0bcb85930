package present_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/agent/view/viewtest"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/lsp/worldtest"
)

// slow is a client that stops reading now and then.
type slow struct {
	*drawing
	r           *rand.Rand
	reading     chan struct{} // has one while it reads a notification, or does not want to
	pieces      int           // of what the model answers
	differences int           // that came
}

// playSlowly runs f with slow clients, each with random numbers of its own. What is sent to
// them waits soon.
func playSlowly(t *testing.T, can worldtest.Obj, replies func(*rand.Rand) []modeltest.Reply, f func(s *slow)) {
	seeds := 3
	if *whole {
		seeds = 8
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			l, pieces := replies(r), 0
			for _, reply := range l {
				pieces += len(reply) / 2 // there is a pause after each
			}
			w := worldtest.NewWorld(t, l)
			w.MaxQueue = 16 << 10
			playIn(t, w, can, func(d *drawing) {
				s := &slow{d, r, make(chan struct{}, 1), pieces, 0}
				d.Editor.Heard = func(method string, raw json.RawMessage) {
					s.reading <- struct{}{}
					d.heard(method, raw)
					if method == "emendo/view/didChange" {
						s.differences++
					}
					<-s.reading
				}
				f(s)
			})
		})
	}
}

// pause reads nothing for up to a second, and then all for a moment.
func (s *slow) pause() {
	s.reading <- struct{}{}
	s.AdvanceBy(time.Duration(s.r.IntN(1000)) * time.Millisecond)
	<-s.reading
	s.AdvanceBy(time.Duration(s.r.IntN(100)) * time.Millisecond)
}

// answers draws what a model answers in turns of up to three responses.
func answers(turns int) func(*rand.Rand) []modeltest.Reply {
	return func(r *rand.Rand) (l []modeltest.Reply) {
		for range turns {
			for more := r.IntN(3); more >= 0; more-- {
				var reply modeltest.Reply
				for range 15 + r.IntN(15) {
					step := modeltest.Say(prose(r))
					if r.IntN(4) == 0 {
						step = modeltest.Think("**About** it.\n\nHm. ")
					}
					reply = append(reply, step, modeltest.Pause(10*time.Millisecond))
				}
				if more > 0 {
					reply = append(reply, modeltest.Call("read_file", `{"file_path":"main.go"}`))
				}
				l = append(l, reply)
			}
		}
		for range turns { // of prompts that are queued
			l = append(l, worldtest.Say("More."))
		}
		return l
	}
}

// prose draws a text that does not repeat itself, which would end the turn.
func prose(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(80) {
		fmt.Fprintf(&b, "word %x 😀\n", r.Uint64())
	}
	return b.String()
}

// whole opens a conversation again and fetches all of its pages.
func (d *drawing) whole(session string) view.View {
	d.Helper()
	v := d.get(session)
	for earlier, at := v.Earlier, viewtest.First(v.Items); earlier; {
		var page view.View
		d.Call("emendo/view/get", worldtest.Obj{"sessionId": session, "bodies": true, "before": at}, &page)
		at, earlier = viewtest.First(page.Items), page.Earlier
		for _, i := range v.Items {
			if !slices.Contains(idsOf(page.Items), i.ID) { // else it is above items of both pages
				page.Items = append(page.Items, i)
			}
		}
		v.Items = page.Items
	}
	d.fold = viewtest.New(v.Items)
	return v
}

// A client that stops reading again and again has what there is once it has read all: what
// waits for it is merged. So do queued prompts and rewinds.
func TestASlowClientHasWhatThereIs(t *testing.T) {
	const turns = 3
	pieces, differences := 0, 0 // of all clients
	playSlowly(t, worldtest.Obj{"view": 1}, answers(turns), func(s *slow) {
		id := s.Session(nil)
		s.get(id)
		for n := range turns {
			wait, done := s.Prompting(s.Context(), id, fmt.Sprint("prompt ", n)), make(chan error, 1)
			go func() { _, err := wait(); done <- err }()
			if s.r.IntN(2) == 0 {
				s.Call("emendo/session/inject", worldtest.InjectionOf(id, fmt.Sprint("queued ", n)), nil)
			}
			for over := false; !over; {
				s.pause()
				select {
				case err := <-done:
					if over = true; err != nil {
						s.Error(err)
					}
				default:
				}
			}
			s.AdvanceBy(time.Minute) // what was queued has ended
			if l := s.turns(); s.r.IntN(3) == 0 {
				s.Call("emendo/session/rewind", worldtest.Obj{"sessionId": id, "turnId": l[s.r.IntN(len(l))].ID, "scope": "conversation"}, nil)
				s.Advance()
			}
			drawn, status := s.fold.Items(), s.fold.Status
			v := s.whole(id)
			if diff := cmp.Diff(drawn, v.Items); diff != "" {
				s.Fatalf("after %d turns something else is loaded (-drawn +loaded):\n%.3000s", n+1, diff)
			}
			if diff := cmp.Diff(status, *v.Status); diff != "" {
				s.Errorf("another status is loaded (-drawn +loaded):\n%s", diff)
			}
		}
		pieces, differences = pieces+s.pieces, differences+s.differences
	})
	if differences >= pieces {
		t.Errorf("%d pieces came in %d differences: none was merged", pieces, differences)
	}
}

// A client that stops reading while hunks are proposed, decided and moved by typing has them
// all, where they are, once it has read all.
func TestASlowClientHasAllHunks(t *testing.T) {
	none := func(*rand.Rand) []modeltest.Reply { return nil }
	playSlowly(t, worldtest.Obj{"view": 1, "changes": true}, none, func(s *slow) {
		s.get("")
		var uris []string
		for n := range 3 {
			name, text := fmt.Sprintf("f%d.txt", n), ""
			for line := range 60 {
				text += fmt.Sprintf("%d line %d\n", n, line)
			}
			uris = append(uris, s.URI(name))
			s.Write(name, text)
			s.Editor.Open(uris[n], text)
		}
		var calls sync.WaitGroup
		for range 40 {
			for range s.r.IntN(6) {
				s.disturb(uris[s.r.IntN(len(uris))], &calls)
			}
			s.pause()
		}
		calls.Wait()
		s.Advance()
		if n := len(s.fold.Hunks()); n == 0 || s.differences < 10 {
			s.Errorf("there are %d hunks after %d differences", n, s.differences)
		}
		s.check()
	})
}

// disturb types into a document, proposes a change of it, or decides on a hunk that is drawn.
func (s *slow) disturb(uri string, calls *sync.WaitGroup) {
	text := s.Editor.Text(uri)
	lines := strings.Count(text, "\n")
	call := func(method string, p worldtest.Obj) { // it may be refused: what it is about may be gone
		calls.Go(func() { _ = s.Editor.Call(s.Context(), method, p, nil) })
	}
	switch line := uint32(s.r.IntN(lines)); s.r.IntN(4) {
	case 0:
		at := len(strings.Join(strings.SplitAfter(text, "\n")[:line], ""))
		s.Editor.Type(uri, at, at, strings.Repeat("new\n", s.r.IntN(3))+"x")
	case 1:
		s.mu.Lock()
		ids := slices.Sorted(maps.Keys(s.fold.Hunks()))
		version := s.version
		s.mu.Unlock()
		if len(ids) > 0 {
			action := []string{"accept", "reject", "dismiss"}[s.r.IntN(3)]
			call("emendo/view/act", worldtest.Obj{"id": ids[s.r.IntN(len(ids))], "actionId": action, "version": version})
		}
	default:
		of := ide.Range{Start: ide.Position{Line: line}, End: ide.Position{Line: line + uint32(s.r.IntN(2))}}
		call("emendo/changes/propose", worldtest.Obj{"uri": uri, "range": of, "newText": prose(s.r), "title": "Change it"})
	}
}
