package servers

import (
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/mcp/oauth"
)

// Problems returns what keeps configured servers from starting in the folder, without
// starting any, and how many would start.
func (c Command) Problems() (problems []string, starting int) {
	list := c.configured()
	problems = slices.Clone(list.Problems)
	for _, s := range list.Servers {
		if s.HiddenBy != "" || s.Disabled || !c.Trusted {
			continue
		}
		if state, err := c.loginState(s); err != nil || state == oauth.Needed {
			problems = append(problems, loginProblem(s.Name, err))
		}
		if s.Own {
			starting++
			continue
		}
		switch look, err := c.inspect(s); {
		case err != nil:
			problems = append(problems, fmt.Sprintf("the MCP server %s cannot be approved: %v", visible.Line(s.Name), err))
		case look.State == trust.Approved:
			starting++
		default:
			problems = append(problems, fmt.Sprintf("the MCP server %s of %s needs your approval", visible.Line(s.Name), visible.Line(s.File)))
		}
	}
	return problems, starting
}

// loginProblem describes what is wrong with the user's login at a server; err is nil if
// the server needs one.
func loginProblem(name string, err error) string {
	if err != nil {
		return fmt.Sprintf("the login at the MCP server %s: %v", visible.Line(name), err)
	}
	return fmt.Sprintf("the MCP server %s needs login: run `%s`", visible.Line(name), oauth.Command(name))
}
