package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// lag is the longest time that anything may take under load. It is far above what is
// measured, for busy machines.
const lag = 2 * time.Second

// texts collects the text of messages by session.
type texts struct {
	mu   sync.Mutex
	said map[string]*strings.Builder
}

func (c *texts) listen(e *editor) {
	c.said = map[string]*strings.Builder{}
	e.updates = func(body []byte) {
		var m struct {
			Params struct {
				SessionID string
				Update    struct {
					Kind    string `json:"sessionUpdate"`
					Content struct{ Text string }
				}
			}
		}
		if err := json.Unmarshal(body, &m); err != nil || m.Params.Update.Kind != "agent_message_chunk" {
			return
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.said[m.Params.SessionID] == nil {
			c.said[m.Params.SessionID] = &strings.Builder{}
		}
		c.said[m.Params.SessionID].WriteString(m.Params.Update.Content.Text)
	}
}

func (c *texts) of(session string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.said[session]; b != nil {
		return b.String()
	}
	return ""
}

// counted sends n numbered words and returns their text.
func counted(many int) (words []string, all string) {
	for i := range many {
		words = append(words, fmt.Sprintf("%d ", i))
	}
	return words, strings.Join(words, "")
}

func TestChunksWithoutAPauseArriveWholeWhileOthersAreServed(t *testing.T) {
	if testing.Short() {
		t.Skip("soak test")
	}
	m := newModel(t)
	words, all := counted(20_000)
	m.answer = func(a *answer) {
		for _, w := range words {
			a.say(w)
		}
		a.done()
	}
	p := newEmendo(t, m)
	e := open(t, p)
	var said texts
	said.listen(e)
	text := code(100)
	file := p.file(t, "a.go", text)
	e.didOpen(file, text)
	s := e.session()
	over := e.begin("emendo/session/prompt", promptParams(s, "count"))
	var took []time.Duration
	for start := time.Now(); time.Since(start) < patience; {
		began := time.Now()
		e.call("textDocument/codeLens", object{"textDocument": object{"uri": "file://" + file}}, nil)
		took = append(took, time.Since(began))
		select {
		case a := <-over:
			if a.err != nil {
				t.Fatal(a.err)
			}
			if got := said.of(s); got != all+"." {
				t.Errorf("%d bytes arrived of %d, or in another order", len(got), len(all)+1)
			}
			t.Logf("%d questions were answered meanwhile, in %v, at most %v", len(took), median(took), slices.Max(took))
			if slices.Max(took) > lag {
				t.Errorf("an answer took %v", slices.Max(took))
			}
			return
		default:
		}
	}
	t.Fatalf("no answer within %v\n%s", patience, e.quit())
}

func TestTenSessionsStreamAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	const sessions = 10
	m := newModel(t)
	words, all := counted(2_000)
	var together sync.WaitGroup // no answer begins before all requests have arrived
	together.Add(sessions)
	m.answer = func(a *answer) {
		together.Done()
		together.Wait()
		for _, w := range words {
			a.say(w)
		}
		a.done()
	}
	e := open(t, newEmendo(t, m))
	var said texts
	said.listen(e)
	var ids []string
	var over []<-chan answered
	for range sessions {
		ids = append(ids, e.session())
	}
	for _, id := range ids {
		over = append(over, e.begin("emendo/session/prompt", promptParams(id, "count")))
	}
	for i, id := range ids {
		if a := e.wait(over[i]); a.err != nil {
			t.Fatal(a.err)
		}
		if got := said.of(id); got != all+"." {
			t.Errorf("session %d: %d bytes arrived of %d, or in another order", i, len(got), len(all)+1)
		}
	}
}

// A proposal that changes 3,000 lines is decided piece by piece while the user
// types.
func TestALargeProposalIsReviewedWithoutLag(t *testing.T) {
	if testing.Short() {
		t.Skip("soak test")
	}
	const lines, hunks, decided = 9_000, 300, 25
	m := newModel(t)
	p := newEmendo(t, m)
	e := open(t, p)
	text := code(lines)
	d := &document{path: p.file(t, "a.go", text), text: text}
	e.hold(d)
	l := strings.SplitAfter(text, "\n")
	for i := range lines / 3 {
		at := i/10*30 + i%10
		l[at] = "\tother" + l[at][1:]
	}
	propose(e, m, d.path, strings.Join(l, ""))
	var r struct {
		ChangeSets []struct {
			ChangeSetID string
			Files       []struct {
				Hunks []struct{ HunkID, OldText, NewText string }
			}
		}
	}
	e.call("emendo/changes/list", object{"state": "pending"}, &r)
	set := r.ChangeSets[0]
	if n := len(set.Files[0].Hunks); n != hunks {
		t.Fatalf("%d hunks", n)
	}
	want := text
	var took []time.Duration
	for i := range decided {
		d.insert(e, 0, "x") // a key, in the first line, which is in the first hunk: that one is conflicted
		want = "x" + want
		h := set.Files[0].Hunks[(i+1)*(hunks/decided)-1]
		want = strings.Replace(want, h.OldText, h.NewText, 1)
		var done struct{ Applied []string }
		began := time.Now()
		e.call("emendo/changes/resolve", object{"decisions": []object{{"changeSetId": set.ChangeSetID, "hunkId": h.HunkID, "action": "accept"}}}, &done)
		took = append(took, time.Since(began))
		if len(done.Applied) != 1 {
			t.Fatalf("hunk %s is not applied: %+v", h.HunkID, done)
		}
	}
	if d.now() != want {
		t.Error("the document is not what was typed and accepted")
	}
	t.Logf("a hunk was accepted in %v, at most %v", median(took), slices.Max(took))
	if slices.Max(took) > lag {
		t.Errorf("accepting a hunk took %v", slices.Max(took))
	}
}

func TestAThousandDocumentsFitInMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("soak test")
	}
	const documents, most = 1000, 400 // MiB
	p := newEmendo(t, newModel(t))
	e := open(t, p)
	text := code(1500) // 60 KB
	for i := range documents {
		path := fmt.Sprintf("%s/%d.go", p.work, i)
		e.didOpen(path, text)
		for v := range 3 {
			e.didChange(path, v+2, v*400, 1, 1, "x")
		}
	}
	e.call("textDocument/codeLens", object{"textDocument": object{"uri": "file://" + p.work + "/0.go"}}, nil)
	got := memory(t, e.cmd.Process.Pid)
	t.Logf("%.0f MiB for %d documents, %d MiB of text", got, documents, documents*len(text)>>20)
	if got > most {
		t.Errorf("%.0f MiB, more than %d", got, most)
	}
}
