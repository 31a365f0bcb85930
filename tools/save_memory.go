package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"
	"unicode"
)

//go:embed save_memory.md
var saveMemoryText string // what the model reads about this tool

type saveMemory struct{}

// NewSaveMemory returns the tool that saves a fact for later sessions.
func NewSaveMemory() Tool { return saveMemory{} }

func (saveMemory) Spec() Spec {
	return Spec{Name: "save_memory", Display: "SaveMemory", Kind: Other, Description: saveMemoryText, Schema: saveMemoryParams.Schema()}
}

type saveMemoryArgs struct {
	Fact string `json:"fact" jsonschema:"The fact, in one self-contained sentence."`
}

var saveMemoryParams = NewParams[saveMemoryArgs](schemas, "save_memory")

// maxFact is the limit of a fact, in bytes.
const maxFact = 2000

func (saveMemory) Prepare(_ context.Context, env Env, raw json.RawMessage) (Action, error) {
	args, err := saveMemoryParams.Decode(raw)
	if err != nil {
		return Action{}, err
	}
	fact := strings.TrimSpace(args.Fact)
	switch {
	case fact == "":
		return Action{}, Errorf(InvalidParams, "invalid params: fact is empty")
	case len(fact) > maxFact:
		return Action{}, Errorf(InvalidParams, "invalid params: fact: expected at most %d bytes, got %d; shorten it", maxFact, len(fact))
	case strings.ContainsFunc(fact, func(r rune) bool { return !unicode.IsGraphic(r) }):
		return Action{}, Errorf(InvalidParams, "invalid params: fact: contains a line end or an invisible character; write one line of plain text")
	case env.Remember == nil:
		return Action{}, Errorf(Unhandled, "cannot save the fact: this session has no folder for saved memories")
	}
	return Action{
		Title:  "Remember: " + Shown(fact),
		Effect: Remembers{Fact: fact},
		Run: func(context.Context, func(Progress)) Result {
			if err := env.Remember(fact); err != nil {
				return Result{Err: DiskError("write", "the fact", err)}
			}
			return Result{Output: "Saved for later sessions of this workspace.", Summary: "Saved"}
		},
	}, nil
}
