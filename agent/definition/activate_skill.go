package definition

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/builtin"
)

//go:embed activate_skill.md
var activateText string // what the model reads about the tool

// activateSkill is the tool that activates skills.
type activateSkill struct {
	set    Skills
	params *tools.Params[skillArguments]
	// opens makes a folder readable for the session.
	opens func(dir string)
}

type skillArguments struct {
	Name string `json:"name" jsonschema:"Name of the skill."`
}

// NewActivateSkill returns the tool that activates skills. opens makes the folder of a
// skill readable for the session.
func NewActivateSkill(set Skills, opens func(dir string)) tools.Tool {
	var names []any
	for _, s := range set.List {
		names = append(names, s.Name)
	}
	return activateSkill{set, tools.NewParams[skillArguments](func(s *jsonschema.Schema) { s.Properties["name"].Enum = names }), opens}
}

// Spec implements [tools.Tool].
func (t activateSkill) Spec() tools.Spec {
	s := builtin.ActivateSkill
	s.Description, s.Schema = strings.TrimSpace(activateText), t.params.Schema()
	return s
}

// Prepare implements [tools.Tool].
func (t activateSkill) Prepare(_ context.Context, _ tools.Env, raw json.RawMessage) (tools.Action, error) {
	args, err := t.params.Decode(raw)
	if err != nil {
		return tools.Action{}, err
	}
	s, ok := t.set.Find(args.Name)
	if !ok {
		var names []string
		for _, s := range t.set.List {
			names = append(names, s.Name)
		}
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "there is no skill %s; the skills are %s", tools.ShownLine(args.Name, 100), strings.Join(names, ", "))
	}
	return tools.Action{
		Title:     "Activate the skill " + s.Name,
		Locations: []tools.Location{{Path: s.File}},
		Effect:    tools.Reads{Paths: []string{s.File}, Given: []string{s.Dir}, Skill: s.Name, Definition: s.definition()},
		Run: func(ctx context.Context, _ func(tools.Progress)) tools.Result {
			t.opens(s.Dir)
			return tools.Result{Output: s.activated(ctx), Display: fmt.Sprintf("The skill %s is active.", s.Name), Summary: s.Name}
		},
	}, nil
}

// definition returns a hash of the skill's file, its place and its content: another skill
// of that name is another one for the user's answers.
func (s Skill) definition() string {
	h := sha256.New()
	for _, text := range []string{"emendo skill 1", s.Name, s.File, s.Description, s.Body} {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// activated returns what the model reads of an active skill.
func (s Skill) activated(ctx context.Context) string {
	inside := s.folder
	inside.Path = s.Dir
	files := List(ctx, inside)
	list := strings.Join(files, "\n")
	if list == "" {
		list = "(none)"
	}
	return transcript.Enclose("activated_skill", transcript.Enclose("instructions", s.Body)+"\n"+transcript.Enclose("available_resources", "Folder: "+s.Dir+"\n"+list), "name", s.Name)
}
