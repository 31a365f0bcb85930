package code

import (
	"context"
	_ "embed" // the text for the model
	"encoding/json"

	"github.com/emendo-dev/emendo/tools"
)

//go:embed find_references.md
var findReferencesText string // what the model reads about this tool

type findReferences struct{ from Sources }

func (findReferences) Spec() tools.Spec {
	return tools.Spec{
		Name: "find_references", Display: "References", Kind: tools.Search, Description: findReferencesText, Synonyms: fileSynonyms, Schema: symbolParams.Schema(),
		Similar:      []string{"references"},
		Investigates: true,
	}
}

func (t findReferences) Prepare(ctx context.Context, env tools.Env, raw json.RawMessage) (tools.Action, error) {
	more := map[string]any{"context": map[string]bool{"includeDeclaration": true}}
	return atSymbol(ctx, env, t.from, raw, "References of", MethodReferences, more, showPlaces("reference", "references"))
}
