package user

import (
	"testing"

	"github.com/emendo-dev/emendo/tools/toolstest"
)

func TestSchemas(t *testing.T) {
	toolstest.Schemas(t, map[string]toolstest.Params{"ask_user": askUserParams, "save_memory": saveMemoryParams, "write_todos": writeTodosParams})
}
