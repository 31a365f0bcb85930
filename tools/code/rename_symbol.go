package code

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/tools"
)

type renameSymbolArgs struct {
	FilePath string `json:"file_path"`
	Line     int    `json:"line" min:"1" jsonschema:"From 1."`
	Symbol   string `json:"symbol" jsonschema:"The symbol as it is on that line."`
	NewName  string `json:"new_name"`
}

var renameSymbolParams = tools.NewParams[renameSymbolArgs]()

var renameSpec = tools.Spec{
	Name: "rename_symbol", Display: "Rename", Kind: tools.Edit, Synonyms: fileSynonyms,
	Similar: []string{"renamesymbol"}, AwaitsReview: true,
}

// maxRenamed is how many files a rename may change.
const maxRenamed = 500

func (a asking) rename(ctx context.Context, env tools.Env, args renameSymbolArgs) (tools.Action, error) {
	f, err := open(ctx, env, a.from, MethodRename, args.FilePath)
	if err != nil {
		return tools.Action{}, err
	}
	if strings.TrimSpace(args.NewName) == "" || strings.ContainsAny(args.NewName, " \t\r\n") {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: new_name %q is not a name", args.NewName)
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	var edit workspaceEdit
	var encoding ide.Encoding
	err = a.from.Ask(ctx, f.env.Snapshot, f.subject(args.Symbol), MethodRename, func(ctx context.Context, s Server) error {
		encoding = s.Encoding()
		at, err := f.position(args.Line, args.Symbol, encoding)
		if err != nil {
			return err
		}
		return s.Call(ctx, MethodRename, map[string]any{"textDocument": document(f.Abs), "position": at, "newName": args.NewName}, &edit)
	})
	if err != nil {
		return tools.Action{}, failure(ctx, err).Err
	}
	edits, err := edit.files()
	if err != nil {
		return tools.Action{}, err
	}
	e := tools.Edits{Whole: true} // the model knows what changes in them
	var places []tools.Location
	for _, x := range edits {
		p, at, err := x.propose(ctx, f.env, encoding)
		if err != nil {
			return tools.Action{}, err
		}
		if p.New == p.Base.Text.String() {
			continue
		}
		e.Files, e.Given, places = append(e.Files, p), append(e.Given, p.Path), append(places, at)
	}
	switch {
	case len(e.Files) == 0:
		return tools.Action{}, tools.Errorf(tools.NoChange, "renaming %s to %s changes nothing", tools.Shown(args.Symbol), tools.Shown(args.NewName))
	case len(e.Files) > 1:
		e.Note = fmt.Sprintf("the rename changes %d files", len(e.Files))
	}
	return tools.Action{Title: fmt.Sprintf("Rename %s to %s", tools.Shown(args.Symbol), tools.Shown(args.NewName)), Effect: e, Locations: places}, nil
}

// workspaceEdit is an LSP WorkspaceEdit, as far as a rename may use it.
type workspaceEdit struct {
	Changes         map[string][]langserver.TextEdit `json:"changes"`
	DocumentChanges []documentEdit                   `json:"documentChanges"`
}

type documentEdit struct {
	Kind         string `json:"kind"` // of an operation on a file; empty for edits
	TextDocument struct {
		URI string `json:"uri"`
	} `json:"textDocument"`
	Edits []langserver.TextEdit `json:"edits"`
}

// fileEdit has the edits of one file.
type fileEdit struct {
	path  string
	edits []langserver.TextEdit
}

// files returns the edits of each file, in order of the paths.
func (w workspaceEdit) files() ([]fileEdit, error) {
	byPath := map[string][]langserver.TextEdit{}
	add := func(uri string, edits []langserver.TextEdit) error {
		path := ide.ParseURI(uri).Path()
		if path == "" {
			return tools.Errorf(tools.EditFailure, "the rename would change %s, which is not a file; nothing was changed", tools.Shown(uri))
		}
		byPath[path] = append(byPath[path], edits...)
		return nil
	}
	for uri, edits := range w.Changes {
		if err := add(uri, edits); err != nil {
			return nil, err
		}
	}
	for _, d := range w.DocumentChanges {
		if d.Kind != "" {
			return nil, tools.Errorf(tools.EditFailure, "the rename would also %s a file, which is not supported; nothing was changed", tools.Shown(d.Kind))
		}
		if err := add(d.TextDocument.URI, d.Edits); err != nil {
			return nil, err
		}
	}
	if len(byPath) > maxRenamed {
		return nil, tools.Errorf(tools.EditFailure, "the rename would change %d files, more than the limit of %d; nothing was changed", len(byPath), maxRenamed)
	}
	var l []fileEdit
	for path, edits := range byPath {
		l = append(l, fileEdit{path, edits})
	}
	slices.SortFunc(l, func(a, b fileEdit) int { return cmp.Compare(a.path, b.path) })
	return l, nil
}

// propose returns the proposal for one file, and the place of its first edit. The
// edits are of the snapshot's text: a file that the session's pending edits would
// change too is an error.
func (x fileEdit) propose(ctx context.Context, env tools.Env, e ide.Encoding) (ledger.Proposed, tools.Location, error) {
	name := tools.Shown(env.Near(x.path))
	refused := func(why string) (ledger.Proposed, tools.Location, error) {
		return ledger.Proposed{}, tools.Location{}, tools.Errorf(tools.EditFailure, "the rename would change %s, %s; nothing was changed", name, why)
	}
	p, err := env.Snapshot.Tree().Resolve(x.path)
	if err != nil {
		return refused("which is outside the workspace")
	}
	if secret.Named(p.Abs) {
		return refused("which may hold secrets")
	}
	seen, err := env.Snapshot.Read(ctx, p.Abs)
	if err != nil {
		return refused("which cannot be read: " + tools.Shown(err.Error()))
	}
	base, err := env.View(ctx, p.Abs)
	if err != nil {
		return refused("which cannot be read: " + tools.Shown(err.Error()))
	}
	old := seen.Text.String()
	if base.Text.String() != old {
		return refused("which has pending changes of this session; rename when they are decided")
	}
	text, first, err := langserver.Apply(seen.Text, x.edits, e)
	if err != nil {
		return refused("with edits that do not fit its text: " + err.Error())
	}
	if base.Document == nil {
		if _, err := disk.Encode(text, base.Format); err != nil {
			return refused("whose encoding cannot hold the new name")
		}
	}
	proposed := ledger.Proposed{Path: p.Abs, URI: ide.FileURI(p.Abs), Op: ledger.Modify, Base: base, New: text}
	if base.Document != nil {
		proposed.URI = base.Document.URI
	}
	return proposed, tools.Location{Path: p.Abs, Line: first + 1}, nil
}
