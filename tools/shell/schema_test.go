package shell

import (
	"testing"

	"github.com/emendo-dev/emendo/tools/toolstest"
)

func TestSchemas(t *testing.T) {
	toolstest.Schemas(t, map[string]toolstest.Params{
		"run_shell_command": New(Options{}).(*tool).params, listName: listParams, "read_background_output": readParams, "kill_background_process": killParams,
	})
}
