package user

import (
	"testing"

	"github.com/emendo-dev/emendo/tools/toolstest"
)

func TestSchemas(t *testing.T) {
	toolstest.Schemas(t, map[string]toolstest.Params{"ask_user": AskUser, "report_finding": ReportFinding, "save_memory": SaveMemory, "write_todos": WriteTodos})
}
