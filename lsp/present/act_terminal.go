package present

import (
	"context"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/lsp/client"
)

// terminalDoers are the actions of commands in the background.
var terminalDoers = map[string]doer{view.ShowTerminal: showTerminal}

// showTerminal has the client show a command in the background in a terminal.
func showTerminal(_ context.Context, _ *Views, c chosen) (acted, error) {
	_, number, _ := strings.Cut(c.ActionID, ":")
	pid, err := strconv.Atoi(number)
	if err != nil || c.view == nil || c.view.ses.State.Jobs.Find(pid) == nil {
		return acted{}, client.ErrNoJob
	}
	return steps(view.Step{Terminal: &view.InTerminal{SessionID: c.Session, PID: pid, Title: c.Item.Title}})
}
