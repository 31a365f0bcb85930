package agent

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/tools"
)

// Check says what would become of a call if the model made it in a new session.
// Nothing is run, shown or stored. The mode need not be one that the session
// could have.
func (a *Agent) Check(ctx context.Context, n NewSession, tool string, args json.RawMessage) (policy.Decision, error) {
	mode := n.Mode
	n.Mode = policy.Default
	s, err := a.Create(ctx, n)
	if err != nil {
		return policy.Decision{}, err
	}
	s.setInfo(func(i *transcript.SessionInfo) { i.Mode = mode })
	t := s.newTurn("", Prompt{})
	c := s.facts(tool)
	if found := a.tool(tool); found != nil {
		env := t.env()
		args = tools.PlainPaths(env, tools.Canonical(found.Spec(), args))
		action, err := found.Prepare(ctx, env, args)
		c.Effect = action.Effect
		if err != nil {
			if c.Effect = t.meant(found.Spec(), args, err); c.Effect == nil {
				return policy.Decision{Kind: policy.Deny, Rule: "the tool's arguments", Reason: err.Error()}, nil
			}
		}
	}
	c.Args = args
	return t.rules(c.Trusted).Decide(c), nil
}

// meant is what a call would do whose arguments are in order while the disk is
// not as the call has it: nothing of it depends on what is in the files.
func (t *turn) meant(spec tools.Spec, args json.RawMessage, err error) tools.Effect {
	var te *tools.Error
	if !errors.As(err, &te) || te.Type == tools.InvalidParams || te.Type == tools.NotInWorkspace {
		return nil
	}
	var named struct {
		File string `json:"file_path"`
	}
	if json.Unmarshal(args, &named) != nil {
		return nil
	}
	if named.File != "" && !filepath.IsAbs(named.File) {
		named.File = filepath.Join(t.session.started.Cwd, named.File)
	}
	switch spec.Kind {
	case tools.Read, tools.Search:
		if named.File == "" {
			return tools.Reads{}
		}
		return tools.Reads{Paths: []string{named.File}}
	case tools.Edit:
		return tools.Edits{Files: []ledger.Proposed{{Path: named.File}}}
	default: // the others do not look at files before they are allowed
		return nil
	}
}
