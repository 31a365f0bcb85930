package code

import (
	"context"
	"strings"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/tools"
)

type documentSymbolsArgs struct {
	FilePath string `json:"file_path"`
}

var documentSymbolsParams = tools.NewParams[documentSymbolsArgs]()

var documentSymbolsSpec = tools.Spec{
	Name: "document_symbols", Display: "Outline", Kind: tools.Search, Synonyms: fileSynonyms,
	Investigates: true,
}

// symbol is an LSP DocumentSymbol, SymbolInformation or WorkspaceSymbol.
type symbol struct {
	Name      string     `json:"name"`
	Detail    string     `json:"detail"`
	Kind      int        `json:"kind"`
	Range     *ide.Range `json:"selectionRange"`
	Children  []symbol   `json:"children"`
	Container string     `json:"containerName"`
	Location  location   `json:"location"`
}

// kinds are the names of LSP's kinds of symbols.
var kinds = strings.Fields(`_ file module namespace package class method property field constructor enum interface function variable constant
	string number boolean array object key null enum_member struct event operator type_parameter`)

func (s symbol) label() string {
	kind := ""
	if s.Kind > 0 && s.Kind < len(kinds) {
		kind = kinds[s.Kind] + " "
	}
	name := kind + s.Name
	if s.Container != "" {
		name += " in " + s.Container
	}
	return name
}

func (a asking) documentSymbols(ctx context.Context, env tools.Env, args documentSymbolsArgs) (tools.Action, error) {
	f, err := open(ctx, env, a.from, MethodDocumentSymbols, args.FilePath)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Title: "Symbols of " + f.name, Effect: f.reads(), Locations: []tools.Location{{Path: f.Abs}},
		Run: func(ctx context.Context, _ func(tools.Progress)) tools.Result {
			ctx, cancel := context.WithTimeout(ctx, askTime)
			defer cancel()
			var found []symbol
			err := a.from.Ask(ctx, f.env.Snapshot, f.subject(""), MethodDocumentSymbols, func(ctx context.Context, s Server) error {
				return s.Call(ctx, MethodDocumentSymbols, map[string]any{"textDocument": document(f.Abs)}, &found)
			})
			if err != nil {
				return failure(ctx, err)
			}
			l := listing{env: f.env}
			l.outline(ctx, f, found, 0)
			return l.result("symbol", "symbols", "No symbols found.").Noted(f.note)
		},
	}, nil
}

// maxDepth bounds how deeply symbols may be nested.
const maxDepth = 8

// outline adds the symbols of a file, those inside others indented.
func (l *listing) outline(ctx context.Context, f file, all []symbol, depth int) {
	if depth > maxDepth {
		return
	}
	for _, s := range all {
		line := s.Location.Range.Start.Line
		if s.Range != nil {
			line = s.Range.Start.Line
		}
		note := strings.Repeat("  ", depth) + s.label()
		if s.Detail != "" {
			note += " " + s.Detail
		}
		l.add(ctx, place{path: f.Abs, uri: f.Abs, line: int(line), note: note})
		l.outline(ctx, f, s.Children, depth+1)
	}
}

type workspaceSymbolsArgs struct {
	Query string `json:"query" jsonschema:"Name or part of it."`
}

var workspaceSymbolsParams = tools.NewParams[workspaceSymbolsArgs]()

var workspaceSymbolsSpec = tools.Spec{
	Name: "workspace_symbols", Display: "Symbols", Kind: tools.Search,
	Investigates: true,
}

func (a asking) workspaceSymbols(_ context.Context, env tools.Env, args workspaceSymbolsArgs) (tools.Action, error) {
	if strings.TrimSpace(args.Query) == "" {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: query is empty")
	}
	env, note := seeing(env, a.from, MethodWorkspaceSymbols, "")
	return tools.Action{
		Title: "Symbols that match " + tools.Shown(args.Query), Effect: tools.Reads{},
		Run: func(ctx context.Context, _ func(tools.Progress)) tools.Result {
			ctx, cancel := context.WithTimeout(ctx, askTime)
			defer cancel()
			l := listing{env: env}
			err := a.from.AskAll(ctx, env.Snapshot, MethodWorkspaceSymbols, func(ctx context.Context, s Server) error {
				var found []symbol
				if err := s.Call(ctx, MethodWorkspaceSymbols, map[string]string{"query": args.Query}, &found); err != nil {
					return err
				}
				for _, x := range found {
					path := ide.ParseURI(x.Location.URI).Path()
					if path != "" && !env.Snapshot.Tree().Contains(path) { // of the standard library, or a dependency
						continue
					}
					l.add(ctx, place{path: path, uri: x.Location.URI, line: int(x.Location.Range.Start.Line), note: x.label()})
				}
				return nil
			})
			if err != nil {
				return failure(ctx, err)
			}
			return l.result("symbol", "symbols", "No symbols found.").Noted(note)
		},
	}, nil
}
