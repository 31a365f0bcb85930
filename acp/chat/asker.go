package chat

import (
	"context"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/client"
	"github.com/emendo-dev/emendo/acp/host"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Asker is a client as the agents see it.
type Asker struct {
	Client  *client.Client
	Hosts   *host.Hosts
	Updates *Updates
}

var _ frontend.Elicitor = Asker{}

// Show implements [frontend.Client].
func (a Asker) Show(ctx context.Context, u transcript.Update) error { return a.Updates.Show(ctx, u) }

// Abilities implements [frontend.Client].
func (a Asker) Abilities() frontend.Abilities {
	return frontend.Abilities{Asks: true, Saves: a.Hosts.Save()}
}

// Ask implements [frontend.Client].
func (a Asker) Ask(ctx context.Context, q frontend.Question) (frontend.Answer, error) {
	p := acp.PermissionParamsOf(q)
	if q.Preview.Executable == nil { // the client has been shown the call
		return a.permission(ctx, p)
	}
	end := a.Updates.Announce(ctx, q.SessionID, p.ToolCall)
	said, err := a.permission(ctx, p)
	end(err == nil && slices.ContainsFunc(q.Options, func(o frontend.Option) bool {
		return o.ID == said.OptionID && (o.Kind == frontend.AllowOnce || o.Kind == frontend.AllowAlways)
	}))
	return said, err
}

func (a Asker) permission(ctx context.Context, p acp.PermissionParams) (frontend.Answer, error) {
	var r acp.PermissionResult
	var err error
	a.Updates.Ask(ctx, p.SessionID, func() { err = a.Client.Ask(ctx, "session/request_permission", p, &r) })
	if err != nil {
		return frontend.Answer{}, err
	}
	return r.Answer(), nil
}

// Elicit implements [frontend.Elicitor]. It puts questions to the user: as a form, as permission questions where each has
// an option for every answer, or not at all.
func (a Asker) Elicit(ctx context.Context, e frontend.Elicitation) (frontend.Elicited, error) {
	open := func(q tools.Question) bool { return len(acp.Choices(q)) == 0 }
	switch {
	case a.Client.Can.Forms:
		var r acp.ElicitationResult
		var err error
		a.Updates.Ask(ctx, e.SessionID, func() { err = a.Client.Ask(ctx, "elicitation/create", acp.ElicitationOf(e), &r) })
		if err != nil {
			return frontend.Elicited{}, err
		}
		return r.Elicited(e.Questions), nil
	case slices.ContainsFunc(e.Questions, open):
		return frontend.Elicited{}, frontend.ErrCannotElicit
	}
	return a.choose(ctx, e)
}

// choose puts questions one by one. Not answering one of them ends it.
func (a Asker) choose(ctx context.Context, e frontend.Elicitation) (frontend.Elicited, error) {
	var out frontend.Elicited
	for i, q := range e.Questions {
		options := acp.Choices(q)
		p := acp.PermissionParams{
			SessionID: e.SessionID, ToolCall: acp.ChoiceCall(e, i), Options: acp.PermissionOptions(frontend.Question{Options: options}),
		}
		end := func(bool) {}
		if e.CallID == "" { // else the client has been shown the call
			end = a.Updates.Announce(ctx, e.SessionID, p.ToolCall)
		}
		said, err := a.permission(ctx, p)
		end(err == nil)
		if err != nil {
			return frontend.Elicited{}, err
		}
		at := slices.IndexFunc(options, func(o frontend.Option) bool { return o.ID == said.OptionID })
		switch {
		case said.Cancelled || at < 0:
			return frontend.Elicited{Cancelled: true}, nil
		case options[at].Kind == frontend.RejectOnce:
			return frontend.Elicited{Declined: true}, nil
		case q.Type == tools.ChoiceQuestion:
			out.Values = append(out.Values, []string{q.Options[at].Label})
		default:
			out.Values = append(out.Values, []string{strings.ToLower(options[at].Name)})
		}
	}
	return out, nil
}
