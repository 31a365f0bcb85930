package tools

import (
	"context"
	"errors"

	"github.com/emendo-dev/emendo/tools/match"
)

// Replace is the tool that changes a passage of a file.
var Replace = Declare(Spec{
	Name: "replace", Display: "Edit", Kind: Edit, Aliases: []string{"Edit", "edit", "search_replace", "str_replace", "smart_edit", "edit_file"}, Synonyms: replaceSynonyms, Adapt: adaptReplacements,
	Similar: []string{"edit", "editfile", "strreplace", "strreplaceeditor", "searchreplace", "multiedit"}, FormerNames: []string{"EditTool"}, ClaudeNames: []string{"Edit", "MultiEdit"}, EditorCommands: []string{"str_replace"},
}, pages, NewParams[replaceArgs](), prepareReplace)

// replaceSynonyms are the names that models give the arguments.
var replaceSynonyms = withSynonyms(filePathSynonyms, map[string]string{
	"old_str": "old_string", "new_str": "new_string", "replace_all": "allow_multiple", "explanation": "instruction", "description": "instruction",
	"oldString": "old_string", "newString": "new_string", "old_text": "old_string", "new_text": "new_string", "replaceAll": "allow_multiple",
})

type replaceArgs struct {
	FilePath      string `json:"file_path" jsonschema:"Path, absolute or relative to the session folder."`
	Instruction   string `json:"instruction,omitempty" jsonschema:"The purpose of the change, in one sentence for the user."`
	Old           string `json:"old_string" jsonschema:"Exact text to replace, with enough context to be unique."`
	New           string `json:"new_string" jsonschema:"Complete replacement text. Empty: delete the passage."`
	AllowMultiple bool   `json:"allow_multiple,omitempty" jsonschema:"Replace every match. Default: false."`
}

func prepareReplace(ctx context.Context, env Env, args replaceArgs) (Action, error) {
	e, err := Edited(ctx, env, args.FilePath)
	if err != nil {
		return Action{}, err
	}
	fresh, unfenced := e.Unfenced(args.New, args.Old)
	args.New = fresh
	switch {
	case e.Missing && args.Old != "":
		err := absent(ctx, env, "edit", e.Name, e.Path)
		err.Message += "; to create the file, pass an empty old_string"
		return Action{}, err
	case e.Missing:
		return e.Propose(args.New, 0, unfenced)
	}
	text := e.File.Text.String()
	found, err := match.Find(text, args.Old, args.New, args.AllowMultiple)
	var refused *match.Refusal
	if errors.As(err, &refused) {
		return Action{}, e.Refuse(refused)
	}
	if err != nil {
		return Action{}, err
	}
	note := found.How
	if note != "" && unfenced != "" {
		note += "; "
	}
	return e.Propose(found.Apply(text), found.Edits[0].A, note+unfenced)
}

// Refuse words a refusal for the model.
func (e Editable) Refuse(r *match.Refusal) *Error {
	quote := r.Quote
	if e.Hidden && quote != "" {
		quote = "The text of this file is not shown: it is ignored or may hold secrets."
	}
	if quote != "" {
		quote = "\n" + quote
	}
	return Errorf(refusals[r.Kind], "cannot edit %s: %s%s", e.Name, r.Reason, quote)
}

var refusals = map[match.Kind]ErrorType{
	match.Missing:  NoOccurrence,
	match.Many:     ManyOccurrences,
	match.NoChange: NoChange,
	match.NotEmpty: AlreadyExists,
	match.Unclear:  EditFailure,
}
