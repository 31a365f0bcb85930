package code

import (
	"context"

	"github.com/emendo-dev/emendo/tools"
)

var definitionSpec = tools.Spec{
	Name: "go_to_definition", Display: "Definition", Kind: tools.Search, Synonyms: fileSynonyms,
	Similar:      []string{"gotodefinition", "definition"},
	Investigates: true,
}

func (a asking) definition(ctx context.Context, env tools.Env, args symbolArgs) (tools.Action, error) {
	return atSymbol(ctx, env, a.from, args, "Definition of", MethodDefinition, nil, showPlaces("definition", "definitions"))
}
