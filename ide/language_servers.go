package ide

import "context"

// LanguageServers are those that an editor runs. An [Editor] that can make requests
// of them implements it.
type LanguageServers interface {
	// Passes reports whether the editor has its language servers answer LSP requests
	// of a method. For "textDocument/diagnostic" it reports whether
	// [Editor.Diagnostics] works.
	Passes(method string) bool
	// Request makes a request and decodes the answer into result. It returns
	// [ErrUnsupported] for a method that the editor does not pass on.
	Request(ctx context.Context, method string, params, result any) error
}
