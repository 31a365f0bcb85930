package tools

import (
	"context"
	"strings"

	"github.com/emendo-dev/emendo/tools/match"
)

// WriteFile is the tool that writes a whole file.
var WriteFile = Declare(Spec{
	Name: "write_file", Display: "WriteFile", Kind: Edit, Aliases: []string{"Write", "write", "create_file", "write_to_file"}, Synonyms: writeSynonyms, Adapt: adaptContent,
	Similar: []string{"write", "createfile", "create", "savefile"}, FormerNames: []string{"WriteFileTool"}, ClaudeNames: []string{"Write"}, EditorCommands: []string{"create"},
}, pages, NewParams[writeFileArgs](), prepareWriteFile)

// writeSynonyms are the names that models give the arguments.
var writeSynonyms = withSynonyms(filePathSynonyms, map[string]string{"contents": "content", "file_text": "content", "text": "content", "fileContent": "content", "file_content": "content"})

const bom = "\ufeff"

type writeFileArgs struct {
	FilePath string `json:"file_path" jsonschema:"Path, absolute or relative to the session folder."`
	Content  string `json:"content" jsonschema:"The complete text."`
}

func prepareWriteFile(ctx context.Context, env Env, args writeFileArgs) (Action, error) {
	e, err := Edited(ctx, env, args.FilePath)
	if err != nil {
		return Action{}, err
	}
	e.whole = true
	content, unfenced := e.Unfenced(args.Content, "")
	args.Content = content
	old := e.File.Text.String()
	if e.Missing {
		return e.Propose(args.Content, 0, unfenced)
	}
	// The byte order mark belongs to the file: to its format on disk, or to the
	// text in some editors.
	text := strings.TrimPrefix(args.Content, bom)
	if strings.HasPrefix(old, bom) || !e.File.Format.BOM && strings.HasPrefix(args.Content, bom) {
		text = bom + text
	}
	text = match.KeepEnds(old, text)
	if text == old {
		return Action{}, Errorf(NoChange, "%s already has exactly this text; nothing was changed", e.Name)
	}
	at := 0
	for at < len(text) && at < len(old) && text[at] == old[at] {
		at++
	}
	return e.Propose(text, at, unfenced)
}
