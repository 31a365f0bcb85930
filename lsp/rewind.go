package lsp

import (
	"context"
	"fmt"
	"strings"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
)

type rewindParams struct {
	SessionID string `json:"sessionId"`
	TurnID    string `json:"turnId"`
	Scope     string `json:"scope"`
	DryRun    bool   `json:"dryRun"`
}

// rewound is what a rewind did with files, or would do.
type rewound struct {
	Restored  []string   `json:"restored"`
	Deleted   []string   `json:"deleted"`
	Kept      []leftFile `json:"kept"`
	Conflicts []leftFile `json:"conflicts"`
}

type leftFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func leftFiles(l []agent.Left) []leftFile {
	out := make([]leftFile, len(l))
	for i, f := range l {
		out[i] = leftFile(f)
	}
	return out
}

// rewindSession goes back to before a turn's prompt.
func (s *server) rewindSession(ctx context.Context, p rewindParams) (any, error) {
	if err := need(p.TurnID, "turnId"); err != nil {
		return nil, err
	}
	scope, err := agent.ParseRewindScope(p.Scope)
	if err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "%v", err)
	}
	ses, err := s.session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	r, err := ses.Rewind(ctx, p.TurnID, scope, p.DryRun)
	if err != nil {
		return nil, err
	}
	if !p.DryRun {
		s.announce.touch()
	}
	return rewound{
		Restored: append([]string{}, r.Restored...), Deleted: append([]string{}, r.Deleted...),
		Kept: leftFiles(r.Kept), Conflicts: leftFiles(r.Conflicts),
	}, nil
}

// shownPrompts is how many prompts the rewind command lists.
const shownPrompts = 10

// rewindCommand rewinds a session or the current one; without a turn it shows
// the prompts that there are.
func (s *server) rewindCommand(ctx context.Context, p rewindParams) (any, error) {
	if p.TurnID == "" && p.SessionID == "" && s.current.get() == "" {
		s.tell(ctx, infoMessage, "emendo has no session to rewind yet.")
		return nil, nil
	}
	ses, err := s.commandSession(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	if p.TurnID == "" {
		text, err := promptsText(ses)
		if err != nil {
			return nil, err
		}
		s.tell(ctx, infoMessage, text)
		return nil, nil
	}
	p.SessionID = ses.ID()
	return s.inBackground(ctx, func(ctx context.Context) (any, string, error) {
		result, err := s.rewindSession(ctx, p)
		if err != nil {
			return nil, "", err
		}
		return result, result.(rewound).text(p.DryRun), nil
	})
}

// promptsText lists what a session can be rewound to, the newest prompt first.
func promptsText(ses *agent.Session) (string, error) {
	l, err := ses.Prompts()
	if err != nil {
		return "", err
	}
	if len(l) == 0 {
		return "The session has no prompt to go back to.", nil
	}
	var b strings.Builder
	b.WriteString("Go back to before a prompt with emendo.rewind {\"turnId\": …, \"scope\": \"files\", \"conversation\" or \"both\", \"dryRun\": true to look first}:")
	for i := len(l) - 1; i >= max(0, len(l)-shownPrompts); i-- {
		fmt.Fprintf(&b, "\n%s: %s", l[i].TurnID, visible.Text(l[i].Text))
	}
	if more := len(l) - shownPrompts; more > 0 {
		fmt.Fprintf(&b, "\nand %d before them", more)
	}
	return b.String(), nil
}

// text says what was done, for clients that do not look at a command's answer.
func (r rewound) text(dry bool) string {
	var b strings.Builder
	b.WriteString("Rewound.")
	if dry {
		b.Reset()
		b.WriteString("A rewind would do this; nothing was changed.")
	}
	list := func(what string, l []string) {
		for _, p := range l {
			fmt.Fprintf(&b, "\n%s: %s", what, visible.Line(p))
		}
	}
	left := func(what string, l []leftFile) {
		for _, f := range l {
			fmt.Fprintf(&b, "\n%s: %s (%s)", what, visible.Line(f.Path), visible.Text(f.Reason))
		}
	}
	list("restored", r.Restored)
	list("deleted", r.Deleted)
	left("not kept", r.Kept)
	left("left, for it was changed again", r.Conflicts)
	return b.String()
}
