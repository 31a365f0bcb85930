package anthropic

import (
	"bytes"
	"encoding/json"

	anthropic "github.com/anthropics/anthropic-sdk-go"
)

// marker begins every signature that this package yields, so that those of other
// providers are never sent. The JSON of a thinking block follows.
var marker = []byte("anthropic:")

// thinking is a thinking block as the API sends it.
type thinking struct {
	Type      string `json:"type"` // thinking or redacted_thinking
	Thinking  string `json:"thinking,omitempty"`
	Signature string `json:"signature,omitempty"`
	Data      string `json:"data,omitempty"` // of a redacted block
}

// sign returns the block as a signature.
func (b thinking) sign() []byte {
	var out bytes.Buffer
	out.Write(marker)
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(b); err != nil {
		panic("anthropic: " + err.Error()) // it has strings only
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// unsign returns the thinking block in a signature. It reports false for signatures
// of other providers.
func unsign(signature []byte) (anthropic.ContentBlockParamUnion, bool) {
	var b thinking
	rest, ours := bytes.CutPrefix(signature, marker)
	if !ours || json.Unmarshal(rest, &b) != nil {
		return anthropic.ContentBlockParamUnion{}, false
	}
	switch {
	case b.Type == "thinking" && b.Signature != "":
		return anthropic.NewThinkingBlock(b.Signature, b.Thinking), true
	case b.Type == "redacted_thinking" && b.Data != "":
		return anthropic.NewRedactedThinkingBlock(b.Data), true
	}
	return anthropic.ContentBlockParamUnion{}, false
}

// thinks reports whether a block is one of thinking.
func thinks(b anthropic.ContentBlockParamUnion) bool {
	return b.OfThinking != nil || b.OfRedactedThinking != nil
}
