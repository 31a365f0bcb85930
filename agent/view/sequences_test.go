package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/tools"
)

// sequencesFile has changes and what they make, for the folds of all clients.
const sequencesFile = "testdata/sequences.json"

// sequenceStep has changes for a client, and now and then the items that it has after them.
type sequenceStep struct {
	Changes []view.Change `json:"changes"`
	Items   []view.Item   `json:"items,omitempty"`
}

// longOutput is a command that writes more than a client keeps.
func longOutput() (steps []sequenceStep) {
	c, all16 := newConversation(), ""
	add := func(e transcript.Event) {
		c.Add(transcript.Update{TurnID: "turn", Event: e})
		s := sequenceStep{Changes: c.Changes()}
		s.Items = all(c)
		steps = append(steps, s)
	}
	c.Run("turn")
	add(transcript.ToolCall{CallID: "call", Title: "make", Kind: tools.Execute, Args: json.RawMessage(`{"command":"make"}`)})
	for i := range 5 {
		all16 += strings.Repeat(fmt.Sprintf("line %d 😀\n", i), 700)
		if over := len(all16) - 16<<10; over > 0 {
			_, all16, _ = strings.Cut(all16[over:], "\n")
		}
		add(transcript.ToolUpdate{CallID: "call", State: transcript.Executing, Live: all16})
	}
	return steps
}

// prompts is a queue whose prompts move, are taken and come.
func prompts() (steps []sequenceStep) {
	c := newConversation()
	for _, order := range []string{"abc", "cab", "dcb", "bdce", "e", ""} {
		var l []view.Queued
		for _, id := range order {
			l = append(l, waiting(string(id), "prompt "+string(id)))
		}
		c.Queue(l, len(l) == 1)
		if len(l) == 4 {
			c.Add(transcript.Update{TurnID: "turn", Event: transcript.UserChunk{MessageID: "b", Block: l[0].Blocks[0]}})
			c.Add(transcript.Update{TurnID: "turn", Event: transcript.TurnEnded{StopReason: transcript.EndTurn}})
		}
		steps = append(steps, sequenceStep{Changes: c.Changes(), Items: all(c)})
	}
	return steps
}

// The clients in other languages play the same sequences. They are those of today's fold.
func TestSequencesAreThoseOfTheFold(t *testing.T) {
	drawn := rapid.Custom(func(t *rapid.T) []sequenceStep {
		g, c := &events{t: t, short: true}, newConversation()
		var steps []sequenceStep
		for n := range 40 {
			u := g.next()
			c.Run(u.TurnID)
			c.Add(u)
			if !g.open {
				c.Run("")
			}
			if n%3 > 0 {
				continue
			}
			s := sequenceStep{Changes: c.Changes()}
			if n%13 == 0 {
				s.Items = all(c)
			}
			steps = append(steps, s)
		}
		return steps
	})
	var sequences [][]sequenceStep
	for seed := range 10 {
		sequences = append(sequences, drawn.Example(seed+1))
	}
	sequences = append(sequences, longOutput(), prompts())
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", " ")
	if err := e.Encode(sequences); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(sequencesFile, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(sequencesFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), want) {
		t.Errorf("%s is of another fold: run go test ./agent/view -run Sequences -update, and the tests of the clients", sequencesFile)
	}
}
