package code

import (
	"testing"

	"github.com/emendo-dev/emendo/tools/toolstest"
)

func TestSchemas(t *testing.T) {
	toolstest.Schemas(t, map[string]toolstest.Params{
		"get_diagnostics": getDiagnosticsParams, "symbol": symbolParams, "document_symbols": documentSymbolsParams,
		"workspace_symbols": workspaceSymbolsParams, "rename_symbol": renameSymbolParams,
	})
}
