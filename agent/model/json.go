package model

import (
	"encoding/json"
	"fmt"
)

// Parts are those of a message. As JSON they have emendo's stored form.
type Parts []Part

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

// MarshalJSON writes the parts in emendo's stored form.
func (ps Parts) MarshalJSON() ([]byte, error) {
	out := make([]part, len(ps))
	for i, p := range ps {
		switch p := p.(type) {
		case Text:
			out[i] = part{Text: &p.Text, Signature: p.Signature, Given: p.Given, Issuer: p.Issuer}
		case Thought:
			out[i] = part{Thought: &p.Text, Signature: p.Signature, Issuer: p.Issuer}
		case Blob:
			out[i] = part{Blob: &p}
		case Call:
			out[i] = part{Call: &p, Signature: p.Signature, Issuer: p.Issuer}
		case Result:
			out[i] = part{Result: &p}
		default:
			panic(fmt.Sprintf("model: unknown part %T", p))
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (ps *Parts) UnmarshalJSON(b []byte) error {
	var in []part
	if err := json.Unmarshal(b, &in); err != nil {
		return fmt.Errorf("reading a message: %w", err)
	}
	*ps = nil
	for i, p := range in {
		switch {
		case p.Text != nil:
			*ps = append(*ps, Text{*p.Text, p.Signature, p.Given, p.Issuer})
		case p.Thought != nil:
			*ps = append(*ps, Thought{*p.Thought, p.Signature, p.Issuer})
		case p.Blob != nil:
			*ps = append(*ps, *p.Blob)
		case p.Call != nil:
			p.Call.Signature, p.Call.Issuer = p.Signature, p.Issuer
			*ps = append(*ps, *p.Call)
		case p.Result != nil:
			*ps = append(*ps, *p.Result)
		default:
			return fmt.Errorf("reading a message: part %d is of an unknown kind", i)
		}
	}
	return nil
}
