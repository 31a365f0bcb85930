package patch

import (
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/match"
)

// pages has the description of the tool.
//
//go:embed *.md
var pages embed.FS

// Name is the name of the tool that applies patches.
const Name = "apply_patch"

// Tool is the tool that applies patches.
var Tool = tools.Declare(tools.Spec{
	Name: Name, Display: "Patch", Kind: tools.Edit, Aliases: []string{"applypatch", "patch"}, Synonyms: patchSynonyms, Adapt: adaptPatch,
	Needs: tools.Needs{Patches: true, NoPlanMode: true},
}, pages, tools.NewParams[applyPatchArgs](), prepare)

// patchSynonyms are the names that models give the argument.
var patchSynonyms = map[string]string{
	"input": "patch", "diff": "patch", "patch_text": "patch", "patchText": "patch", "unified_diff": "patch", "content": "patch", "text": "patch", "patch_content": "patch",
}

// adaptPatch reads the patch from a command, as which some models write the call: a
// list with the command's name, or a shell command with a here-document.
func adaptPatch(g tools.Given) bool {
	value, ok := g["command"]
	if !ok || g["patch"] != nil {
		return false
	}
	var words []string
	var line string
	switch {
	case jsonv2.Unmarshal(value, &words) == nil && len(words) == 2 && words[0] == Name:
		line = words[1]
	case jsonv2.Unmarshal(value, &line) == nil:
	default:
		return false
	}
	text, err := jsontext.AppendQuote(nil, line)
	if err != nil {
		return false
	}
	g["patch"] = text
	return g.Drop("command", "workdir", "description", "is_background", "timeout", "timeout_ms")
}

type applyPatchArgs struct {
	Patch string `json:"patch" jsonschema:"The patch."`
}

// maxPatched is how many files a patch may change.
const maxPatched = 500

func prepare(ctx context.Context, env tools.Env, args applyPatchArgs) (tools.Action, error) {
	files, err := Parse(args.Patch)
	if err != nil {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "cannot read the patch: %s; nothing was changed", tools.Shown(err.Error()))
	}
	if len(files) > maxPatched {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "the patch changes %d files, more than the limit of %d; nothing was changed", len(files), maxPatched)
	}
	p := patching{env: env, at: map[string]int{}}
	var failed []*tools.Error
	for _, f := range files {
		err := p.file(ctx, f)
		var e *tools.Error
		if err != nil && !errors.As(err, &e) {
			return tools.Action{}, err
		}
		if e != nil {
			failed = append(failed, e)
			p.edits.Doubts = append(p.edits.Doubts, e.Doubts...)
		}
	}
	return p.action(failed)
}

// patching is a patch that is being prepared.
type patching struct {
	env    tools.Env
	edits  tools.Edits
	titles []string
	places []tools.Location
	at     map[string]int // the index in edits.Files of each file, by its name there
}

// action returns the action for the files of which all hunks fit. If no file has, the
// error has all reasons.
func (p *patching) action(failed []*tools.Error) (tools.Action, error) {
	var reasons []string
	for _, e := range failed {
		reasons = append(reasons, e.Message)
	}
	if len(p.edits.Files) == 0 {
		if len(failed) == 0 {
			return tools.Action{}, tools.Errorf(tools.NoChange, "the patch changes nothing")
		}
		return tools.Action{}, &tools.Error{Type: failed[0].Type, Message: strings.Join(reasons, "\n\n"), Doubts: p.edits.Doubts}
	}
	if len(failed) > 0 {
		p.edits.Left = "This part of the patch was not proposed. Correct it and send it alone:\n" + strings.Join(reasons, "\n\n")
	}
	title := strings.Join(p.titles, ", ")
	if len(p.titles) > 3 {
		title = "Patch " + tools.Count(len(p.titles), "file", "files")
	}
	return tools.Action{Title: title, Locations: p.places, Effect: p.edits}, nil
}

// file prepares what the patch does to one file.
func (p *patching) file(ctx context.Context, f File) error {
	name := p.name(f)
	switch f.Op {
	case Delete:
		return p.delete(ctx, name)
	case Add, Update:
	}
	e, err := tools.Edited(ctx, p.env, name)
	if err != nil {
		return err
	}
	if i, again := p.at[e.Key()]; again {
		if q := p.edits.Files[i]; f.Op == Update && f.To == "" && (q.Op == ledger.Modify || q.Op == ledger.Create) {
			return p.again(e, i, f, name)
		}
		return tools.Errorf(tools.InvalidParams, "cannot change %s: the patch changes it twice in ways that exclude each other", e.Name)
	}
	text, fresh := f.Added()
	switch {
	case e.Missing && fresh && f.To == "":
		return p.create(e, name, text)
	case e.Missing:
		err := e.Absent(ctx, p.env, "change", name)
		err.Message += "; to create the file, use *** Add File with its whole text"
		return err
	case f.Op == Add && e.File.Text.Len() > 0:
		return tools.Errorf(tools.AlreadyExists, "cannot create %s: the file exists. Change it with *** Update File, or overwrite it with write_file", e.Name)
	case f.Op == Add:
		return p.create(e, name, text)
	}
	return p.update(ctx, e, f, name)
}

// name returns the path of a file that the patch means: the first of those that exist.
func (p *patching) name(f File) string {
	for _, name := range slices.Concat([]string{f.Path}, f.Others) {
		if f.Op != Add && tools.Exists(p.env, name) {
			return name
		}
	}
	return f.Path
}

func (p *patching) create(e tools.Editable, name, text string) error {
	text, note := e.Unfenced(text, "")
	a, err := e.Propose(text, 0, note)
	if err != nil {
		return err
	}
	p.add(a, tools.Part{Tool: "write_file", Args: argsOf("file_path", name, "content", text)})
	return nil
}

func (p *patching) delete(ctx context.Context, name string) error {
	a, err := tools.Deletion(ctx, p.env, "patch", name)
	if err != nil {
		return err
	}
	if _, again := p.at[a.Effect.(tools.Edits).Files[0].Name()]; again {
		return tools.Errorf(tools.InvalidParams, "cannot delete %s: the patch changes it too", tools.Shown(name))
	}
	p.add(a, tools.Part{Tool: "delete_file", Args: argsOf("file_path", name)})
	return nil
}

// update changes a file, and moves it if the patch says so.
func (p *patching) update(ctx context.Context, e tools.Editable, f File, name string) error {
	text, at, note, err := p.apply(e, e.File.Text.String(), f.Hunks)
	var same *tools.Error
	unchanged := errors.As(err, &same) && same.Type == tools.NoChange
	if err != nil && (!unchanged || f.To == "") {
		return err
	}
	if f.To == "" {
		a, err := e.Propose(text, at, note)
		if err != nil {
			return err
		}
		p.add(a, replacement(name, f))
		return nil
	}
	moved, err := tools.Movement(ctx, p.env, "patch", name, f.To)
	if err != nil {
		return err
	}
	part := tools.Part{Tool: "move_file", Args: argsOf("source_path", name, "destination_path", f.To)}
	if unchanged {
		p.add(moved, part)
		return nil
	}
	return p.moveChanged(e, moved, text, note, replacement(name, f), part)
}

// moveChanged moves a file and changes it: it is deleted, and made at the new place with
// the new text and the same format and permissions, because the ledger decides about a
// move as a whole, and its hunks would be at neither place.
func (p *patching) moveChanged(e tools.Editable, moved tools.Action, text, note string, parts ...tools.Part) error {
	from := moved.Effect.(tools.Edits)
	gone := from.Files[0]
	made := e
	made.Missing, made.File.Path, made.File.Document = true, gone.NewPath, nil
	made.Name, made.Given = tools.Shown(p.env.Near(gone.NewPath)), from.Given[1]
	if info, err := p.env.Snapshot.Tree().Stat(e.Path); err == nil {
		made.File.Mode = info.Mode().Perm()
	}
	a, err := made.Propose(text, 0, note)
	if err != nil {
		return err
	}
	gone.Op, gone.New = ledger.Delete, ""
	fresh := a.Effect.(tools.Edits)
	fresh.Files[0].Base.Text, fresh.Files[0].Base.Hash = ide.NewText(""), disk.Hash{}
	p.add(tools.Action{Title: moved.Title, Locations: moved.Locations, Effect: tools.Edits{Files: append([]ledger.Proposed{gone}, fresh.Files...), Given: from.Given, Hidden: slices.Concat(from.Hidden, fresh.Hidden), Note: note}}, parts...)
	return nil
}

// again changes a file further that the patch changes before.
func (p *patching) again(e tools.Editable, i int, f File, name string) error {
	before := p.edits.Files[i]
	e.Missing = before.Op == ledger.Create
	text, at, note, err := p.apply(e, before.New, f.Hunks)
	if err != nil {
		return err
	}
	a, err := e.Propose(text, min(at, e.File.Text.Len()), note)
	if err != nil {
		return err
	}
	p.edits.Files[i].New = a.Effect.(tools.Edits).Files[0].New
	p.edits.Parts = append(p.edits.Parts, replacement(name, f))
	p.addNote(note)
	return nil
}

// apply returns the text with all hunks applied, and where the first is. An error has
// the reasons for all that do not fit.
func (p *patching) apply(e tools.Editable, text string, hunks []match.Hunk) (_ string, first int, note string, err error) {
	first = len(text)
	from, lines, changed := 0, 0, false // where the last hunk ended, and how many lines were added
	var failed []*tools.Error
	for i, h := range hunks {
		if h.Line > 0 {
			h.Line += lines
		}
		found, err := match.FindHunk(text, h, from)
		var refused *match.Refusal
		switch {
		case errors.As(err, &refused) && refused.Kind == match.NoChange:
			continue
		case errors.As(err, &refused):
			failed = append(failed, refuseHunk(e, refused, i+1, len(hunks), text, h))
			continue
		case err != nil:
			return "", 0, "", err
		}
		last := found.Edits[len(found.Edits)-1]
		after := found.Apply(text)
		first, from = min(first, found.Edits[0].A), last.B+len(after)-len(text)
		lines += strings.Count(after, "\n") - strings.Count(text, "\n")
		text, changed, note = after, true, cmp.Or(note, found.How)
	}
	switch {
	case len(failed) > 0:
		all := *failed[0]
		for _, f := range failed[1:] {
			all.Message += "\n" + f.Message
		}
		return "", 0, "", &all
	case !changed:
		return "", 0, "", tools.Errorf(tools.NoChange, "cannot change %s: the patch has no change of it: its old and new lines are the same", e.Name)
	}
	return text, first, note, nil
}

// hunkReasons say what is wrong with a hunk, and what to do.
var hunkReasons = map[match.Kind]string{
	match.Missing: "its old lines are not in the file. Read the file again if it may have changed, and give its lines exactly",
	match.Many:    "its old lines are in the file several times. Add unchanged lines before or after them, or name the function that it is in after @@",
}

// refuseHunk words for the model why a hunk does not fit.
func refuseHunk(e tools.Editable, r *match.Refusal, no, of int, text string, h match.Hunk) *tools.Error {
	refused := *r
	refused.Reason = cmp.Or(hunkReasons[r.Kind], r.Reason)
	if r.Kind == match.Missing && strings.Count(h.New, "\n") > 1 && !e.Hidden && strings.Contains(text, h.New) {
		refused.Reason = "the file already has its new lines"
	}
	if text == "" {
		refused.Reason = "the file is empty"
	}
	refused.Reason = fmt.Sprintf("hunk %d of %d does not fit: %s. Nothing of this file was changed.", no, of, refused.Reason)
	return e.Refuse(&refused)
}

// replacement describes the hunks of a file as one call of the tool that replaces a
// passage, with the lines of all of them.
func replacement(name string, f File) tools.Part {
	var old, new strings.Builder
	for _, h := range f.Hunks {
		old.WriteString(h.Old)
		new.WriteString(h.New)
	}
	return tools.Part{Tool: "replace", Args: argsOf("file_path", name, "old_string", old.String(), "new_string", new.String())}
}

// argsOf returns the arguments of a call from names and values in turn.
func argsOf(pairs ...string) json.RawMessage {
	args := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		args[pairs[i]] = strings.ToValidUTF8(pairs[i+1], "\ufffd")
	}
	text, err := jsonv2.Marshal(args, jsonv2.Deterministic(true))
	if err != nil {
		panic(err) // these are strings
	}
	return text
}

// add adds the action for one file.
func (p *patching) add(a tools.Action, parts ...tools.Part) {
	e := a.Effect.(tools.Edits)
	for _, f := range e.Files {
		if _, ok := p.at[f.Name()]; !ok {
			p.at[f.Name()] = len(p.edits.Files)
		}
		p.edits.Files = append(p.edits.Files, f)
	}
	p.edits.Given = append(p.edits.Given, e.Given...)
	p.edits.Hidden = append(p.edits.Hidden, e.Hidden...)
	p.edits.Parts = append(p.edits.Parts, parts...)
	p.titles, p.places = append(p.titles, a.Title), append(p.places, a.Locations...)
	p.addNote(e.Note)
}

func (p *patching) addNote(note string) {
	if note == "" || strings.Contains(p.edits.Note, note) {
		return
	}
	if p.edits.Note != "" {
		p.edits.Note += "; "
	}
	p.edits.Note += note
}
