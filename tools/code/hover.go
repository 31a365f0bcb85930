package code

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

var hoverSpec = tools.Spec{Name: "hover", Display: "Hover", Kind: tools.Search, Synonyms: fileSynonyms}

// maxHover bounds the documentation of a symbol, in characters.
const maxHover = 8 << 10

func (a asking) hover(ctx context.Context, env tools.Env, args symbolArgs) (tools.Action, error) {
	type answer struct {
		Contents json.RawMessage `json:"contents"`
	}
	return atSymbol(ctx, env, a.from, args, "Hover", MethodHover, nil, func(_ context.Context, _ tools.Env, found answer) tools.Result {
		text, _ := visible.Clip(visible.Text(strings.TrimSpace(marked(found.Contents))), maxHover)
		if text == "" {
			text = "No documentation found."
		}
		return tools.Result{Output: text, Summary: shortLine(visible.OneLine(text))}
	})
}

// marked returns the text of LSP's MarkupContent, MarkedString or a list of these.
func marked(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var one struct {
		Value string `json:"value"`
	}
	if json.Unmarshal(raw, &one) == nil {
		return one.Value
	}
	var all []json.RawMessage
	if json.Unmarshal(raw, &all) != nil {
		return ""
	}
	var parts []string
	for _, x := range all {
		parts = append(parts, marked(x))
	}
	return strings.Join(parts, "\n")
}
