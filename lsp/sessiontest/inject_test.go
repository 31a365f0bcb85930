package sessiontest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// inject injects a prompt and checks how many are queued before it: "steer 0 TEXT".
func (p *play) inject(words string) error {
	how, rest := word(words)
	position, text := word(rest)
	want, err := strconv.Atoi(position)
	if err != nil {
		return fmt.Errorf("%q is no position", position)
	}
	if p.session.id == "" {
		if err := p.newSession(""); err != nil {
			return err
		}
	}
	var answer struct {
		TurnID   string `json:"turnId"`
		Position int    `json:"position"`
	}
	params := object{"sessionId": p.session.id, "how": how, "prompt": []object{{"type": "text", "text": text}}}
	if text == "" {
		params["prompt"] = []object{}
	}
	err = p.request("emendo/session/inject", params, &answer)
	switch {
	case err != nil:
		return err
	case answer.TurnID == "":
		return fmt.Errorf("the answer names no turn")
	case answer.Position != want:
		return fmt.Errorf("%d wait before it", answer.Position)
	}
	return nil
}

// resume resumes the queue.
func (p *play) resume(string) error {
	return p.request("emendo/session/editQueue", object{"sessionId": p.session.id, "resume": true}, nil)
}

// queue compares the queue as the client was last sent it.
func (p *play) queue(words string) error {
	var q struct {
		Items []struct {
			How    string
			Prompt []struct{ Text string }
		}
		Paused bool
	}
	if p.session.queue != nil {
		if err := json.Unmarshal(p.session.queue, &q); err != nil {
			return err
		}
	}
	var b strings.Builder
	for _, i := range q.Items {
		fmt.Fprintf(&b, "%s: %s\n", i.How, i.Prompt[0].Text)
	}
	if q.Paused {
		b.WriteString("paused\n")
	}
	return p.script.expect(words, b.String())
}
