package turn

import (
	"cmp"
	"math"

	"github.com/emendo-dev/emendo/agent/compact"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/tools"
)

// fitOutput returns the output of a call for the model. Long output is cut, and saved in
// a file of the session. The content of files can be read again, so it is cut only if it
// does not fit the model's context.
func (c *call) fitOutput(r tools.Result, output string) string {
	t := c.turn
	s := t.session
	setting := cmp.Or(s.Agent.Settings().Tools.LongOutput, compact.DefaultOutput)
	if _, read := c.action.Effect.(tools.Reads); read {
		setting = math.MaxInt32
	}
	limit, used := t.models.Limit(), t.conv.Used.Load()
	used += max(limit-used, 0) / 2 // the other half is for what is said next
	most := compact.Largest(setting, limit, used)
	if fits := compact.Fits(output, most); !fits || r.Shortened {
		path := ""
		if save := s.Private.SaveOutput(); save != nil {
			var err error
			full := output
			if r.Raw != "" {
				full = s.Agent.Options.Secrets.Known(r.Raw)
			}
			if path, err = save(compact.FileName(c.made.Name, c.made.CallID), full); err != nil {
				path = ""
				s.Agent.Log.Warn("long output was not saved", "session", s.SessionID, "call", c.made.CallID, "err", err)
			}
		}
		where := compact.Where(path, r.Lost)
		if fits {
			output += "\n\n(" + where + ")"
		} else {
			output = compact.Truncate(output, most, where)
		}
	}
	t.conv.Used.Add(s.Ratio.Scale(model.TextTokens(output)))
	return output
}
