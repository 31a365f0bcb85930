//go:build unix

package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/transcript"
)

var kills = flag.Int("kills", 12, "how often TestAKillLosesNothingShown kills the program")

// TestAKillLosesNothingShown kills the program at random points. Everything that it
// printed is in the session, and the next process continues it. The model rejects an
// incomplete history.
func TestAKillLosesNothingShown(t *testing.T) {
	if testing.Short() {
		t.Skip("kill test")
	}
	w := newWorld(t)
	var endless atomic.Bool // the model's answers never end
	server := geminitest.Start(geminitest.Options{Answer: func(r geminitest.Request) geminitest.Reply {
		reply := anyTurn(r)
		if last := len(reply.Events) - 1; endless.Load() && reply.Frame.Drip > 0 {
			reply.Events[last].Hold = make(chan struct{})
		}
		return reply
	}})
	t.Cleanup(server.Close)
	w.env = append(w.env, "GOOGLE_GEMINI_BASE_URL="+server.URL)
	w.write("notes.txt", "a line\n")
	w.run("-p", "the first prompt", "--session-id", "mine").wantCode(t, 0)

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // not for security
	store := transcript.NewStore(filepath.Join(w.home, "state", "sessions"))
	inTurns := 0
	for n := range *kills {
		endless.Store(n%2 == 0) // so the kill is in the middle of a turn, however slow the machine
		r := w.begin("-p", fmt.Sprintf("prompt %d", n), "--resume", "mine", "--allowed-tools", "run_shell_command(cat)")
		var shown []string
		for most := random.IntN(20); endless.Load() || len(shown) < most; {
			if !r.out.Scan() {
				break
			}
			if shown = append(shown, r.out.Text()); endless.Load() && (strings.Contains(r.out.Text(), "word 0") || len(shown) > most && len(shown) > 1) {
				break
			}
		}
		<-time.After(time.Duration(random.IntN(2000)) * time.Microsecond)
		killed := r.Process.Kill() == nil
		for r.out.Scan() {
			shown = append(shown, r.out.Text())
		}
		err := r.Wait()
		whole := len(shown) > 0 && strings.Contains(shown[len(shown)-1], `"type":"result"`)
		switch {
		case !whole && !killed:
			t.Fatalf("run %d ended by itself, with %v: %s", n, err, r.stderr)
		case !whole && len(shown) > 1:
			inTurns++
		}
		_, updates, err := store.Read("mine")
		if err != nil {
			t.Fatalf("after run %d: %v", n, err)
		}
		for _, lost := range missing(shown, updates) {
			t.Errorf("after run %d the session lacks %s", n, lost)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	endless.Store(false)
	w.run("-p", "the last prompt", "--resume", "mine").wantCode(t, 0)
	for _, r := range server.Requests() {
		if r.Refused != "" && !strings.Contains(r.Refused, "unexpected EOF") { // the kill interrupted a request
			t.Fatalf("the model refused: %s", r.Refused)
		}
	}
	if inTurns < *kills/4 {
		t.Errorf("only %d of %d kills came in the middle of a turn", inTurns, *kills)
	}
}

// anyTurn replies to a prompt with calls, and to results with text.
func anyTurn(r geminitest.Request) geminitest.Reply {
	answered := 0
	for _, c := range slices.Backward(r.Contents) {
		if c.Role != "user" || len(c.Parts) == 0 || c.Parts[0].FunctionResponse == nil {
			break
		}
		answered++
	}
	if answered == 0 {
		return geminitest.Do(
			geminitest.Think("**Looking** I look."), geminitest.Text("I look "), geminitest.Text("at it."),
			geminitest.Call("read_file", `{"file_path":"notes.txt"}`), geminitest.Call("run_shell_command", `{"command":"cat notes.txt"}`))
	}
	var words []string
	for i := range 12 {
		words = append(words, fmt.Sprintf("word %d, ", i))
	}
	said := geminitest.Say(words...)
	said.Frame.Drip = 200 * time.Microsecond
	return said
}

// missing returns the printed lines that the updates lack.
func missing(lines []string, updates []transcript.Update) (lost []string) {
	said, done := map[string]string{}, map[string]bool{}
	for _, u := range updates {
		switch e := u.Event.(type) { //nolint:gochecksumtype // the other events are not printed
		case transcript.UserChunk:
			said[e.MessageID] += e.Block.Text
		case transcript.Text:
			said[e.MessageID] += e.Text
		case transcript.ToolCall:
			done[e.CallID] = false
		case transcript.ToolUpdate:
			done[e.CallID] = done[e.CallID] || e.Over()
		}
	}
	shown := map[string]string{}
	for _, line := range lines {
		var l struct {
			Type, Content string
			MessageID     string `json:"message_id"`
			ToolID        string `json:"tool_id"`
		}
		if json.Unmarshal([]byte(line), &l) != nil {
			continue // torn by the kill
		}
		over, called := done[l.ToolID]
		switch l.Type {
		case "message":
			shown[l.MessageID] += l.Content
			if !strings.HasPrefix(said[l.MessageID], shown[l.MessageID]) {
				lost = append(lost, line)
			}
		case "tool_use":
			if !called {
				lost = append(lost, line)
			}
		case "tool_result":
			if !over {
				lost = append(lost, line)
			}
		}
	}
	return lost
}
