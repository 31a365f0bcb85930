package modeltest

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/emendo-dev/emendo/agent/model"
)

// Check returns an error for a request that a strict provider would reject: roles
// that do not alternate from user to user, empty messages and parts, parts in the
// wrong role, calls that the next message does not answer, results without a call,
// and tools that are declared badly or twice.
func Check(req model.Request) error {
	if len(req.Messages) == 0 {
		return errors.New("there are no messages")
	}
	var open []model.Call // of the message before
	for i, m := range req.Messages {
		if want := []model.Role{model.User, model.Model}[i%2]; m.Role != want {
			return fmt.Errorf("message %d has role %q, want %q: roles alternate and the user begins", i, m.Role, want)
		}
		if err := checkParts(m); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		if err := checkAnswers(open, m); err != nil {
			return fmt.Errorf("message %d: %w", i, err)
		}
		open = nil
		for _, p := range m.Parts {
			if c, ok := p.(model.Call); ok {
				open = append(open, c)
			}
		}
	}
	if last := req.Messages[len(req.Messages)-1]; last.Role != model.User {
		return errors.New("the last message is the model's")
	}
	return checkTools(req.Tools)
}

func checkParts(m model.Message) error {
	if len(m.Parts) == 0 {
		return errors.New("it has no parts")
	}
	for i, p := range m.Parts {
		problem := ""
		switch p := p.(type) {
		case model.Text:
			if p.Text == "" && len(p.Signature) == 0 {
				problem = "is an empty text"
			}
		case model.Thought:
			if m.Role != model.Model {
				problem = "is a thought of the user's"
			}
		case model.Blob:
			if len(p.Data) == 0 || p.MIME == "" {
				problem = "is an empty blob, or one of no type"
			}
		case model.Call:
			var args map[string]any
			switch {
			case m.Role != model.Model:
				problem = "is a call of the user's"
			case p.ID == "" || p.Name == "":
				problem = "is a call without an id or a name"
			case json.Unmarshal(p.Args, &args) != nil || args == nil:
				problem = fmt.Sprintf("is a call whose arguments are not an object: %q", p.Args)
			}
		case model.Result:
			if m.Role != model.User {
				problem = "is an answer of the model's"
			}
		default:
			problem = fmt.Sprintf("is of the unknown type %T", p)
		}
		if problem != "" {
			return fmt.Errorf("part %d %s", i, problem)
		}
	}
	return nil
}

// checkAnswers pairs the calls of a message with the answers in the next.
func checkAnswers(calls []model.Call, next model.Message) error {
	open := map[string]model.Call{}
	for _, c := range calls {
		if _, twice := open[c.ID]; twice {
			return fmt.Errorf("two calls before it have the id %q", c.ID)
		}
		open[c.ID] = c
	}
	for _, p := range next.Parts {
		r, ok := p.(model.Result)
		if !ok {
			continue
		}
		c, ok := open[r.CallID]
		switch {
		case !ok:
			return fmt.Errorf("it answers %q, which was not called just before or is answered already", r.CallID)
		case c.Name != r.Name || c.ProviderID != r.ProviderID:
			return fmt.Errorf("it answers %s %q by the name %s %q", c.Name, c.ProviderID, r.Name, r.ProviderID)
		}
		delete(open, r.CallID)
	}
	for id := range open {
		return fmt.Errorf("it does not answer the call %q", id)
	}
	return nil
}

func checkTools(tools []model.Tool) error {
	seen := map[string]bool{}
	for _, t := range tools {
		var schema map[string]any
		switch {
		case t.Name == "" || seen[t.Name]:
			return fmt.Errorf("the tool %q has no name, or another's", t.Name)
		case t.Schema != nil && json.Unmarshal(t.Schema, &schema) != nil:
			return fmt.Errorf("the schema of %s is not a JSON object", t.Name)
		case t.Schema != nil && schema["type"] != "object":
			return fmt.Errorf("the schema of %s is not of type object", t.Name)
		}
		seen[t.Name] = true
	}
	return nil
}
