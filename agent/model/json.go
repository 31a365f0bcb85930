package model

import (
	"encoding/json"
	"fmt"
)

// part is the stored form of a Part. Exactly one of the first five fields is set.
type part struct {
	Text    *string `json:"text,omitempty"`
	Thought *string `json:"thought,omitempty"`
	Blob    *Blob   `json:"blob,omitempty"`
	Call    *Call   `json:"call,omitempty"`
	Result  *Result `json:"result,omitempty"`

	Signature []byte `json:"signature,omitempty"`
	Given     bool   `json:"given,omitempty"`
	Issuer    string `json:"issuer,omitempty"`
}

type message struct {
	ID    string `json:"id"`
	Role  Role   `json:"role"`
	Parts []part `json:"parts"`
}

// MarshalJSON writes the message in emendo's stored form.
func (m Message) MarshalJSON() ([]byte, error) {
	out := message{ID: m.ID, Role: m.Role, Parts: make([]part, len(m.Parts))}
	for i, p := range m.Parts {
		switch p := p.(type) {
		case Text:
			out.Parts[i] = part{Text: &p.Text, Signature: p.Signature, Given: p.Given, Issuer: p.Issuer}
		case Thought:
			out.Parts[i] = part{Thought: &p.Text, Signature: p.Signature, Issuer: p.Issuer}
		case Blob:
			out.Parts[i] = part{Blob: &p}
		case Call:
			out.Parts[i] = part{Call: &p, Signature: p.Signature, Issuer: p.Issuer}
		case Result:
			out.Parts[i] = part{Result: &p}
		default:
			panic(fmt.Sprintf("model: unknown part %T", p))
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (m *Message) UnmarshalJSON(b []byte) error {
	var in message
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("reading a message: %w", err)
	}
	out := Message{ID: in.ID, Role: in.Role}
	for i, p := range in.Parts {
		switch {
		case p.Text != nil:
			out.Parts = append(out.Parts, Text{*p.Text, p.Signature, p.Given, p.Issuer})
		case p.Thought != nil:
			out.Parts = append(out.Parts, Thought{*p.Thought, p.Signature, p.Issuer})
		case p.Blob != nil:
			out.Parts = append(out.Parts, *p.Blob)
		case p.Call != nil:
			p.Call.Signature, p.Call.Issuer = p.Signature, p.Issuer
			out.Parts = append(out.Parts, *p.Call)
		case p.Result != nil:
			out.Parts = append(out.Parts, *p.Result)
		default:
			return fmt.Errorf("reading a message: part %d is of an unknown kind", i)
		}
	}
	*m = out
	return nil
}
