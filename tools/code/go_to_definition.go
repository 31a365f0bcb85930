package code

import (
	"context"
	_ "embed" // the text for the model
	"encoding/json"

	"github.com/emendo-dev/emendo/tools"
)

//go:embed go_to_definition.md
var goToDefinitionText string // what the model reads about this tool

type goToDefinition struct{ from Sources }

func (goToDefinition) Spec() tools.Spec {
	return tools.Spec{
		Name: "go_to_definition", Display: "Definition", Kind: tools.Search, Description: goToDefinitionText, Synonyms: fileSynonyms, Schema: symbolParams.Schema(),
		Similar:      []string{"gotodefinition", "definition"},
		Investigates: true,
	}
}

func (t goToDefinition) Prepare(ctx context.Context, env tools.Env, raw json.RawMessage) (tools.Action, error) {
	return atSymbol(ctx, env, t.from, raw, "Definition of", MethodDefinition, nil, showPlaces("definition", "definitions"))
}
