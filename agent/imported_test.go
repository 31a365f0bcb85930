package agent_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/geminichat"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

func TestImportedSessionIsShown(t *testing.T) {
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		info := importFile(t, w, "old.json")
		s, err := w.Agent.Session(t.Context(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range w.Updates {
			switch e := u.Event.(type) { //nolint:gochecksumtype // the others are not in this conversation
			case transcript.UserChunk:
				got = append(got, "user: "+e.Block.Text)
			case transcript.Thought:
				got = append(got, "thought: "+e.Subject+": "+e.Text)
			case transcript.Text:
				got = append(got, "model: "+e.Text)
			case transcript.ToolCall:
				got = append(got, "call: "+e.Title)
			case transcript.ToolUpdate:
				got = append(got, fmt.Sprintf("call ended: %s %q", e.State, e.Output))
			case transcript.UsageUpdated:
				got = append(got, fmt.Sprintf("usage: %d of %d", e.Used, e.Size))
			case transcript.Notice:
				got = append(got, fmt.Sprintf("%s: %s: %s", e.Severity, e.Title, e.Description))
			case transcript.TurnEnded:
				got = append(got, "turn: "+string(e.StopReason))
			}
		}
		want := []string{
			"user: Count the lines.", "thought: Counting: wc will do.", "model: I count them.", "usage: 56 of 1048576",
			"call: run_shell_command", "call: run_shell_command", "call: read_file",
			`call ended: success "3 a"`, `call ended: cancelled "The call was interrupted before it ended; what it did until then is not known."`, `call ended: success "an image"`,
			"error: Message from Gemini CLI: network", "turn: end_turn", "user: And?", "turn: end_turn",
		}
		if diff := cmp.Diff(got, want); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAnImportedSessionGetsItsEnvironment(t *testing.T) {
	agenttest.InWorld(t, map[string]string{"main.go": "package main\n"}, []modeltest.Reply{agenttest.Done(), agenttest.Done()}, func(t *testing.T, w *agenttest.World) {
		s, err := w.Agent.Session(t.Context(), importFile(t, w, "old.json").ID)
		if err != nil {
			t.Fatal(err)
		}
		w.Prompt(s, "resume")
		w.Prompt(s, "and again")
		text := agenttest.TextOf(w.LastRequest())
		for _, want := range []string{"This conversation began in Gemini CLI", "Session folder, where relative paths and commands start: " + w.Dir, "System: ", "main.go\n</folders>"} {
			if strings.Count(text, want) != 1 {
				t.Errorf("%q occurs %d times in\n%s", want, strings.Count(text, want), text)
			}
		}
	})
}

// chatter writes random records of Gemini CLI, valid and invalid ones.
type chatter struct {
	*rand.Rand
	lines []string
	ids   []string // of messages
	calls []string // that were made
	n     int
}

func (c *chatter) id(prefix string) string {
	c.n++
	return fmt.Sprintf("%s%d", prefix, c.n)
}

func (c *chatter) add(record map[string]any) {
	b, err := json.Marshal(record)
	if err != nil {
		panic(err) // strings and maps
	}
	line := string(b)
	if c.IntN(30) == 0 {
		line = line[:c.IntN(len(line))] // torn
	}
	c.lines = append(c.lines, line)
}

func (c *chatter) message(kind string, fields map[string]any) {
	fields["type"], fields["id"], fields["timestamp"] = kind, c.id("m"), "2026-03-02T09:15:00.000Z"
	if len(c.ids) > 0 && c.IntN(10) == 0 {
		fields["id"] = c.ids[c.IntN(len(c.ids))] // written again
	}
	c.ids = append(c.ids, fields["id"].(string))
	c.add(fields)
}

func (c *chatter) call() (id string) {
	if len(c.calls) > 0 && c.IntN(4) == 0 {
		return c.calls[c.IntN(len(c.calls))]
	}
	id = c.id("call")
	c.calls = append(c.calls, id)
	return id
}

func (c *chatter) answer(id string) map[string]any {
	return map[string]any{"functionResponse": map[string]any{"id": id, "name": "glob", "response": map[string]any{"output": "found"}}}
}

func (c *chatter) step() {
	switch c.IntN(9) {
	case 0, 1:
		c.message("user", map[string]any{"content": []string{"Do it.", "/help", "", "Again."}[c.IntN(4)]})
	case 2:
		c.message("gemini", map[string]any{"content": []any{map[string]any{"text": "Said."}, map[string]any{"functionCall": map[string]any{"id": c.call(), "name": "glob", "args": map[string]any{}}}}})
	case 3:
		var l []any
		for range 1 + c.IntN(3) {
			call := map[string]any{"id": c.call(), "name": "glob", "args": map[string]any{"pattern": "*"}, "status": []string{"success", "error", "cancelled", "executing"}[c.IntN(4)]}
			if c.IntN(2) == 0 {
				call["result"] = []any{c.answer(call["id"].(string))}
			}
			l = append(l, call)
		}
		c.message("gemini", map[string]any{"content": "", "toolCalls": l, "thoughts": []any{map[string]any{"subject": "S", "description": "D"}}})
	case 4, 5:
		parts := []any{c.answer(c.call())}
		if c.IntN(3) == 0 {
			parts = append(parts, map[string]any{"text": "Quick."})
		}
		c.message("user", map[string]any{"content": parts})
	case 6:
		c.message("gemini", map[string]any{"content": "Done.", "tokens": map[string]any{"input": 3, "output": 1, "total": 4}})
	case 7:
		c.message([]string{"error", "info", "warning"}[c.IntN(3)], map[string]any{"content": "trouble"})
	case 8:
		if len(c.ids) > 0 && c.IntN(3) == 0 {
			c.add(map[string]any{"$rewindTo": c.ids[c.IntN(len(c.ids))]})
		}
	}
}

// TestAnyImportedSessionContinues imports random files and continues them. The scripted
// model rejects the requests that a strict provider would reject.
func TestAnyImportedSessionContinues(t *testing.T) {
	if testing.Short() {
		t.Skip("random test")
	}
	agenttest.InWorld(t, nil, nil, func(t *testing.T, w *agenttest.World) {
		store := transcript.NewStore(filepath.Join(w.State, "sessions"))
		went := 0
		for seed := range uint64(150) {
			c := &chatter{Rand: rand.New(rand.NewPCG(seed, 0))}
			c.lines = append(c.lines, fmt.Sprintf(`{"sessionId":"s%d","projectHash":"f","startTime":"2026-03-02T09:00:00.000Z","kind":"main"}`, seed))
			for range 4 + c.IntN(20) {
				c.step()
			}
			file := strings.Join(c.lines, "\n")
			chat, err := geminichat.Read([]byte(file))
			if err != nil {
				t.Fatalf("seed %d: %v in\n%s", seed, err, file)
			}
			info, added, err := store.Import(chat, transcript.Import{Cwd: w.Dir, Model: "test-model", Now: time.Now(), NewID: w.NewID})
			if err != nil {
				continue // it has no prompt
			}
			if _, again, err := store.Import(chat, transcript.Import{Cwd: w.Dir, Now: time.Now()}); !added || again || err != nil {
				t.Errorf("seed %d: added %t, then %t, %v", seed, added, again, err)
			}
			s, err := w.Agent.Session(t.Context(), info.ID)
			if err != nil {
				t.Fatal(err)
			}
			w.Model.Replies = append(w.Model.Replies, modeltest.Reply{modeltest.Say("Gladly.")})
			if end, err := s.Prompt(t.Context(), state.Prompt{Blocks: agenttest.Say("go on")}); err != nil || end.Text != "Gladly." {
				t.Errorf("seed %d: %+v, %v after\n%s", seed, end, err, file)
			}
			went++
		}
		if went < 75 {
			t.Errorf("only %d of the files were sessions", went)
		}
	})
}
