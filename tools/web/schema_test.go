package web

import (
	"testing"

	"github.com/emendo-dev/emendo/tools/toolstest"
)

func TestSchemas(t *testing.T) {
	toolstest.Schemas(t, map[string]toolstest.Params{FetchName: fetchParams, SearchName: Search})
}
