package model

import (
	"encoding/json"
	"fmt"
)

// part is the stored form of a Part. Exactly one of the first five fields is set.
type part struct {
	Text    *string `json:"text,omitempty"`
	Thought *string `json:"thought,omitempty"`
	Blob    *blob   `json:"blob,omitempty"`
	Call    *call   `json:"call,omitempty"`
	Result  *result `json:"result,omitempty"`

	Signature []byte `json:"signature,omitempty"`
	Given     bool   `json:"given,omitempty"`
	Issuer    string `json:"issuer,omitempty"`
}

type blob struct {
	MIME string `json:"mime"`
	Data []byte `json:"data"`
}

type call struct {
	ID         string          `json:"id"`
	ProviderID string          `json:"providerId,omitempty"`
	Name       string          `json:"name"`
	Args       json.RawMessage `json:"args"`
}

type result struct {
	CallID     string `json:"callId"`
	ProviderID string `json:"providerId,omitempty"`
	Name       string `json:"name"`
	Output     string `json:"output"`
	Failed     bool   `json:"failed,omitempty"`
	Blobs      []blob `json:"blobs,omitempty"`
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
			out.Parts[i] = part{Blob: &blob{p.MIME, p.Data}}
		case Call:
			out.Parts[i] = part{Call: &call{p.ID, p.ProviderID, p.Name, p.Args}, Signature: p.Signature, Issuer: p.Issuer}
		case Result:
			r := &result{p.CallID, p.ProviderID, p.Name, p.Output, p.Failed, nil}
			for _, b := range p.Blobs {
				r.Blobs = append(r.Blobs, blob(b))
			}
			out.Parts[i] = part{Result: r}
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
			out.Parts = append(out.Parts, Blob(*p.Blob))
		case p.Call != nil:
			out.Parts = append(out.Parts, Call{p.Call.ID, p.Call.ProviderID, p.Call.Name, p.Call.Args, p.Signature, p.Issuer, ""})
		case p.Result != nil:
			r := Result{p.Result.CallID, p.Result.ProviderID, p.Result.Name, p.Result.Output, p.Result.Failed, nil}
			for _, b := range p.Result.Blobs {
				r.Blobs = append(r.Blobs, Blob(b))
			}
			out.Parts = append(out.Parts, r)
		default:
			return fmt.Errorf("reading a message: part %d is of an unknown kind", i)
		}
	}
	*m = out
	return nil
}
