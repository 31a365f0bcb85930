package code

import (
	"context"

	"github.com/emendo-dev/emendo/tools"
)

var referencesSpec = tools.Spec{
	Name: "find_references", Display: "References", Kind: tools.Search, Synonyms: fileSynonyms,
	Similar:      []string{"references"},
	Investigates: true,
}

func (a asking) references(ctx context.Context, env tools.Env, args symbolArgs) (tools.Action, error) {
	more := map[string]any{"context": map[string]bool{"includeDeclaration": true}}
	return atSymbol(ctx, env, a.from, args, "References of", MethodReferences, more, showPlaces("reference", "references"))
}
