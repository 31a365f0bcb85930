package openai

import (
	"bytes"
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/model/transport"
)

// signatureHead begins every signature of this package, so that no others are taken
// for ours.
var signatureHead = []byte("openai/1:")

// signature is what has to be kept of an answer, beside its text, for later requests.
// The API returns reasoning and messages as items of their own: a thought is signed
// with what is left of its item, and an empty text after a message is signed with
// what is left of that.
type signature struct {
	Issuer    string `json:"issuer"` // who can read what is encrypted
	ID        string `json:"id,omitempty"`
	Encrypted string `json:"encrypted,omitempty"`
	Phase     string `json:"phase,omitempty"` // of a message
}

// sign returns s as a signature of this generator.
func (g *Generator) sign(s signature) []byte {
	s.Issuer = g.issuer
	b, err := json.Marshal(s)
	if err != nil {
		panic("openai: a signature does not encode: " + err.Error())
	}
	return append(bytes.Clone(signatureHead), b...)
}

// read decodes a signature. That of another issuer, or of reasoning that the server
// has refused, is the zero value.
func (g *Generator) read(text []byte) signature {
	var s signature
	rest, ours := bytes.CutPrefix(text, signatureHead)
	if !ours || json.Unmarshal(rest, &s) != nil || s.Issuer != g.issuer {
		return signature{}
	}
	if s.Encrypted != "" && g.refuse.Has(s.Encrypted) {
		return signature{}
	}
	return s
}

// wireID returns an ID in the form that the API accepts.
func wireID(id string) string {
	if validName(id) {
		return id
	}
	return "call_" + transport.Digest(id, 12)
}

// maxName is the length of the longest name of a function and of the longest ID.
const maxName = 64

// validName reports whether the API accepts a function or an ID of that name.
func validName(name string) bool { return transport.IsName(name, maxName) }

// wireName returns the name of a function in the form that the API accepts. Different
// names stay different.
func wireName(name string) string { return transport.Name(name, maxName, 4) }
