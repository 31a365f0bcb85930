package tracker

import (
	"testing"

	"github.com/emendo-dev/emendo/tools/toolstest"
)

func TestSchemas(t *testing.T) {
	toolstest.Schemas(t, map[string]toolstest.Params{
		createName: createParams, updateName: updateParams, getName: getParams, listName: listParams, addName: addParams, visualizeName: visualizeParams,
	})
}
