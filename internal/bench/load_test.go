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
			if len(took) < 20 {
				t.Errorf("%d questions were answered before the answer of the model was whole", len(took))
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

// A proposal that changes 3,000 lines is decided piece by piece while the user types. What
// it takes is compared with a proposal of a tenth of the size in the same run: growth in
// proportion is ten times, and with the square it would be a hundred times.
func TestALargeProposalIsReviewedWithoutLag(t *testing.T) {
	if testing.Short() {
		t.Skip("soak test")
	}
	const most = 40
	large, small := openReview(t, 9_000), openReview(t, 900)
	for i := range decided {
		large.accept(i)
		small.accept(i)
	}
	large.check()
	small.check()
	l, s := median(large.took), median(small.took)
	t.Logf("a hunk of many was accepted in %v, at most %v, of few in %v", l, slices.Max(large.took), s)
	if l > most*s {
		t.Errorf("a hunk of many was accepted in %v, of few in %v", l, s)
	}
}

// decided is the number of hunks that are accepted in a reviewed document.
const decided = 25

// reviewed is a document in an editor of its own, in which ten lines of each thirty are a
// pending hunk.
type reviewed struct {
	t    *testing.T
	e    *editor
	doc  *document
	set  pendingSet
	want string
	took []time.Duration
}

func openReview(t *testing.T, lines int) *reviewed {
	t.Helper()
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
	set := propose(e, m, d.path, strings.Join(l, ""))
	if n := len(set.Files[0].Hunks); n != lines/30 {
		t.Fatalf("%d hunks", n)
	}
	return &reviewed{t: t, e: e, doc: d, set: set, want: text}
}

// accept presses a key in the first line, in the first hunk, which is conflicted then, and
// accepts one of the others.
func (r *reviewed) accept(i int) {
	r.t.Helper()
	r.doc.insert(r.e, 0, "x")
	r.want = "x" + r.want
	hunks := r.set.Files[0].Hunks
	h := hunks[1+i*(len(hunks)-1)/decided]
	r.want = strings.Replace(r.want, h.OldText, h.NewText, 1)
	var done struct{ Applied []string }
	began := time.Now()
	r.e.call("emendo/changes/resolve", object{"decisions": []object{{"changeSetId": r.set.ChangeSetID, "hunkId": h.HunkID, "action": "accept"}}}, &done)
	r.took = append(r.took, time.Since(began))
	if len(done.Applied) != 1 {
		r.t.Fatalf("hunk %s is not applied: %+v", h.HunkID, done)
	}
}

func (r *reviewed) check() {
	r.t.Helper()
	if r.doc.now() != r.want {
		r.t.Error("the document is not what was typed and accepted")
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
