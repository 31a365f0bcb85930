package sessiontest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/lsp/lsptest"
)

// sets returns the change sets of all sessions.
func (p *play) sets() ([]lsptest.ChangeSet, error) {
	var list struct {
		ChangeSets []lsptest.ChangeSet `json:"changeSets"`
	}
	if err := p.request("emendo/changes/list", object{}, &list); err != nil {
		return nil, err
	}
	return list.ChangeSets, p.drawn(list.ChangeSets)
}

// drawn fails if a client that draws hunks was not sent their current state.
func (p *play) drawn(sets []lsptest.ChangeSet) error {
	if !p.kind.reviews() {
		return nil
	}
	p.settle()
	last := map[string]string{}
	for _, s := range p.editor.Seen().ChangeSets {
		last[s.ChangeSetID] = s.State
	}
	for _, s := range sets {
		if now := last[s.ChangeSetID]; now != s.State {
			return fmt.Errorf("change set %s is %s, and the client got %q", s.ChangeSetID, s.State, now)
		}
	}
	return nil
}

// accept accepts the hunk that holds a text, or all that are pending.
func (p *play) accept(words string) error {
	if words == "all" {
		return p.decide("accept", words, "pending")
	}
	return p.decide("accept", words, "pending conflicted")
}

// acceptEdited accepts the hunk that holds a text as the user edited it: a
// section contains the new text.
func (p *play) acceptEdited(words string) error {
	section, pattern := word(words)
	text, _ := p.script.section(section)
	sets, err := p.sets()
	if err != nil {
		return err
	}
	h, err := find(sets, pattern, "pending")
	if err != nil {
		return err
	}
	return p.resolve([]decision{{h.set, h.HunkID, "accept", &text}}, "")
}

// propose proposes that a file has the text of a section, as the user. The change
// belongs to the session once that has a prompt.
func (p *play) propose(words string) error {
	name, section := word(words)
	text, _ := p.script.section(section)
	params := object{"uri": p.uri(name), "newText": text, "title": "Apply " + name}
	if p.session.id != "" {
		params["sessionId"] = p.session.id
	}
	return p.request("emendo/changes/propose", params, nil)
}

// decide decides the hunk that holds a text, or "all", in one of the states.
// What follows "because" is the user's comment.
func (p *play) decide(action, words, states string) error {
	pattern, comment, _ := strings.Cut(words, " because ")
	sets, err := p.sets()
	if err != nil {
		return err
	}
	var chosen []placed
	if pattern == "all" {
		for _, h := range hunksOf(sets) {
			if strings.Contains(states, h.State) {
				chosen = append(chosen, h)
			}
		}
	} else {
		h, err := find(sets, pattern, strings.Fields(states)...)
		if err != nil {
			return err
		}
		chosen = []placed{h}
	}
	if !p.kind.plugged() {
		return p.decideByAction(action, chosen)
	}
	var l []decision
	for _, h := range chosen {
		l = append(l, decision{ChangeSetID: h.set, HunkID: h.HunkID, Action: action})
	}
	return p.resolve(l, comment)
}

// resolve decides hunks. Conflicts are an error, which the verb refused knows as
// conflict.
func (p *play) resolve(l []decision, comment string) error {
	var outcome struct {
		Conflicts []struct {
			Reason string `json:"reason"`
		} `json:"conflicts"`
	}
	if err := p.request("emendo/changes/resolve", object{"decisions": l, "comment": comment}, &outcome); err != nil {
		return err
	}
	if len(outcome.Conflicts) > 0 {
		return conflict{outcome.Conflicts[0].Reason}
	}
	return nil
}

// conflict is the error of a decision that could not be carried out.
type conflict struct{ reason string }

func (c conflict) Error() string { return c.reason }

// decideByAction decides hunks as a client without the plugin can: by the code
// action at the hunk's place.
func (p *play) decideByAction(action string, hunks []placed) error {
	for _, h := range hunks {
		var offered []struct {
			Kind    string          `json:"kind"`
			Edit    json.RawMessage `json:"edit"`
			Command *struct {
				Command   string          `json:"command"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"command"`
		}
		params := object{
			"textDocument": object{"uri": h.uri}, "range": h.Range, "context": object{"diagnostics": []object{}},
		}
		if err := p.request("textDocument/codeAction", params, &offered); err != nil {
			return err
		}
		found := false
		for _, o := range offered {
			if o.Kind != "quickfix.emendo."+action || found {
				continue
			}
			found = true
			if o.Edit != nil || o.Command == nil {
				return fmt.Errorf("the action %s carries an edit, or no command", o.Kind)
			}
			if err := p.command(o.Command.Command, o.Command.Arguments, nil); err != nil {
				return err
			}
		}
		if !found {
			return fmt.Errorf("there is no action to %s the hunk", action)
		}
	}
	return nil
}
