package user

import (
	"context"
	"strings"
	"unicode"

	"github.com/emendo-dev/emendo/tools"
)

// SaveMemory is the tool that saves a fact for later sessions.
var SaveMemory = tools.Declare(tools.Spec{
	Name: "save_memory", Display: "SaveMemory", Kind: tools.Other,
	Similar: []string{"memory"}, FormerNames: []string{"MemoryTool"},
	Needs: tools.Needs{Trust: true}, NotForAgents: true,
}, pages, tools.NewParams[saveMemoryArgs](), prepareSaveMemory)

type saveMemoryArgs struct {
	Fact string `json:"fact" jsonschema:"The fact, in one self-contained sentence."`
}

// maxFact is the limit of a fact, in bytes.
const maxFact = 2000

func prepareSaveMemory(_ context.Context, env tools.Env, args saveMemoryArgs) (tools.Action, error) {
	fact := strings.TrimSpace(args.Fact)
	switch {
	case fact == "":
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: fact is empty")
	case len(fact) > maxFact:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: fact: expected at most %d bytes, got %d; shorten it", maxFact, len(fact))
	case strings.ContainsFunc(fact, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: fact: contains a line end or an invisible character; write one line of plain text")
	case env.Remember == nil:
		return tools.Action{}, tools.Errorf(tools.Unhandled, "cannot save the fact: this session has no folder for saved memories")
	}
	return tools.Action{
		Title:  "Remember: " + tools.Shown(fact),
		Effect: tools.Remembers{Fact: fact},
		Run: func(context.Context, func(tools.Progress)) tools.Result {
			if err := env.Remember(fact); err != nil {
				return tools.Result{Err: tools.DiskError("write", "the fact", err)}
			}
			return tools.Result{Output: "Saved for later sessions of this workspace.", Summary: "Saved"}
		},
	}, nil
}
