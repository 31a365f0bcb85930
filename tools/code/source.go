package code

import (
	"context"
	"embed"
	"errors"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/tools"
)

// A Server answers LSP requests.
type Server interface {
	// Encoding returns the unit of the characters in positions.
	Encoding() ide.Encoding
	Call(ctx context.Context, method string, params, result any) error
}

// Sources find the servers of a session. A server sees the text of [tools.Env]'s
// snapshot, and the editor that without proposed edits.
type Sources interface {
	// Answers reports whether a server may answer requests of a method; it starts
	// nothing to find out.
	Answers(method string) bool
	// OfEditor reports whether the editor answers a method for the file at path or, if path
	// is empty, for all files.
	OfEditor(snapshot *ide.Snapshot, method, path string) bool
	// Ask calls f with the server that answers a method for a file. The error is
	// [ErrNoServer], that of f, or says why the answer would not be complete.
	Ask(ctx context.Context, snapshot *ide.Snapshot, about Subject, method string, f func(context.Context, Server) error) error
	// AskAll calls f with each server that answers a method for files of the
	// workspace.
	AskAll(ctx context.Context, snapshot *ide.Snapshot, method string, f func(context.Context, Server) error) error
	// Diagnostics returns the problems of the file at path or, if path is empty, of
	// all files of which problems are known.
	Diagnostics(ctx context.Context, snapshot *ide.Snapshot, path string) ([]Problems, error)
}

// A Subject is the file, and the symbol if there is one, of a request.
type Subject struct {
	Path string // of the file, absolute, links resolved
	Name string // of the symbol in it; empty: the request is about the file
}

// Problems are those of one file.
type Problems struct {
	Path  string // absolute
	Found []langserver.Diagnostic
}

// ErrNoServer means that no server answers for a file.
var ErrNoServer = errors.New("no language server answers for this file")

// Methods of LSP that the tools use.
const (
	MethodDiagnostics      = "textDocument/diagnostic"
	MethodReferences       = "textDocument/references"
	MethodDefinition       = "textDocument/definition"
	MethodHover            = "textDocument/hover"
	MethodDocumentSymbols  = "textDocument/documentSymbol"
	MethodWorkspaceSymbols = "workspace/symbol"
	MethodRename           = "textDocument/rename"
)

// A tool that asks servers with one method.
type methodTool struct {
	method string
	tool   tools.Tool
}

// pages are the descriptions of the tools.
//
//go:embed *.md
var pages embed.FS

// asking prepares calls that ask these sources.
type asking struct{ from Sources }

func toolsOf(s Sources) []methodTool {
	a := asking{s}
	return []methodTool{
		{MethodDiagnostics, tools.Declare(diagnosticsSpec, pages, getDiagnosticsParams, a.diagnostics)},
		{MethodReferences, tools.Declare(referencesSpec, pages, symbolParams, a.references)},
		{MethodDefinition, tools.Declare(definitionSpec, pages, symbolParams, a.definition)},
		{MethodHover, tools.Declare(hoverSpec, pages, symbolParams, a.hover)},
		{MethodDocumentSymbols, tools.Declare(documentSymbolsSpec, pages, documentSymbolsParams, a.documentSymbols)},
		{MethodWorkspaceSymbols, tools.Declare(workspaceSymbolsSpec, pages, workspaceSymbolsParams, a.workspaceSymbols)},
		{MethodRename, tools.Declare(renameSpec, pages, renameSymbolParams, a.rename)},
	}
}

// All returns the tools of this package without sources, for their specs.
func All() []tools.Tool {
	var l []tools.Tool
	for _, t := range toolsOf(nil) {
		l = append(l, t.tool)
	}
	return l
}

// Offered returns the tools that work with these sources.
func Offered(s Sources) []tools.Tool {
	var l []tools.Tool
	for _, t := range toolsOf(s) {
		if s.Answers(t.method) {
			l = append(l, t.tool)
		}
	}
	return l
}
