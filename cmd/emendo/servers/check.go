package servers

import (
	"fmt"
	"slices"

	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
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
		if s.Own {
			starting++
			continue
		}
		folder := s.Project
		if folder == "" {
			folder = c.Dir
		}
		switch look, err := c.Store.Approved(folder, s.Entry(c.Env)); {
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
