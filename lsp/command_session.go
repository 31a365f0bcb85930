package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// newSessionCommand makes a session that the commands after it mean.
func (s *server) newSessionCommand(ctx context.Context, p newSessionParams) (any, error) {
	ses, err := s.createSession(ctx, p)
	if err != nil {
		return nil, err
	}
	s.current.set(ses.ID())
	s.announce.touch()
	return oneSession{acp.SessionInfoOf(ses.Info())}, nil
}

// cancelCommand ends a session's turn, or, with none named, every turn. It finds
// the prompts that came before it, begun or not.
func (s *server) cancelCommand(_ context.Context, p cancelParams) (rpc.Work, error) {
	if p.SessionID == "" {
		s.turns.cancelAll()
	} else {
		s.turns.cancel(p.SessionID, p.CallID)
	}
	return answered(nil), nil
}

// setModeCommand sets the mode of a session or of the current one; without a
// mode it shows which there are.
func (s *server) setModeCommand(ctx context.Context, p modeParams) (any, error) {
	if p.Mode != "" {
		if _, err := agent.ParseMode(p.Mode); err != nil {
			return nil, rpc.Errorf(rpc.InvalidParams, "%v", err)
		}
		ses, err := s.commandSession(ctx, p.SessionID)
		if err != nil {
			return nil, err
		}
		return s.setMode(ctx, modeParams{ses.ID(), p.Mode})
	}
	var b strings.Builder
	b.WriteString("Set the mode with emendo.setMode {\"mode\": …}:")
	for _, m := range agent.Modes() {
		fmt.Fprintf(&b, "\n%s: %s", m.ID, m.Description)
	}
	s.tell(ctx, infoMessage, b.String()+s.now(ctx, func(i agent.SessionInfo) string { return string(i.Mode) }))
	return nil, nil
}

// setModelCommand sets the model of a session or of the current one; without a
// model it shows which are known.
func (s *server) setModelCommand(ctx context.Context, p modelParams) (any, error) {
	if p.Model != "" {
		ses, err := s.commandSession(ctx, p.SessionID)
		if err != nil {
			return nil, err
		}
		return s.setModel(ctx, modelParams{ses.ID(), p.Model})
	}
	var b strings.Builder
	b.WriteString("Set the model with emendo.setModel {\"model\": …}.")
	for _, m := range s.o.Models {
		fmt.Fprintf(&b, "\n%s: %s; %s", m.ID, m.Name, m.Description)
	}
	s.tell(ctx, infoMessage, b.String()+s.now(ctx, func(i agent.SessionInfo) string { return i.Model }))
	return nil, nil
}

// now says how the current session has it, if there is one.
func (s *server) now(ctx context.Context, of func(agent.SessionInfo) string) string {
	id := s.current.get()
	if id == "" {
		return ""
	}
	ses, err := s.session(ctx, id)
	if err != nil {
		return ""
	}
	return "\nNow: " + of(ses.Info())
}

type permissionArgs struct {
	SessionID string `json:"sessionId"`
	CallID    string `json:"toolCallId"`
	OptionID  string `json:"optionId"`
}

// permissionCommand answers a question; without arguments it shows the open
// ones.
func (s *server) permissionCommand(ctx context.Context, p permissionArgs) (any, error) {
	open := s.ask.all()
	if p == (permissionArgs{}) {
		if len(open) == 0 {
			s.tell(ctx, infoMessage, "emendo asks for nothing at the moment.")
		}
		for _, q := range open {
			s.showQuestion(ctx, q)
		}
		return nil, nil
	}
	for _, q := range open {
		if q.sessionID != p.SessionID || q.callID != p.CallID {
			continue
		}
		if !slices.ContainsFunc(q.choices, func(c choice) bool { return c.id == p.OptionID }) {
			return nil, rpc.Errorf(rpc.InvalidParams, "the question has no option %q. %s", p.OptionID, howToAnswer(q))
		}
		s.ask.give(q, p.OptionID)
		return nil, nil
	}
	return nil, rpc.Errorf(rpc.InvalidParams, "no question about call %q of session %q is open", p.CallID, p.SessionID)
}

// showQuestion shows what is asked and what can be answered. Where a diagnostic
// asks, code actions answer, and the document is shown there.
func (s *server) showQuestion(ctx context.Context, q *question) {
	at := s.locationOf(q)
	if at == nil {
		s.tell(ctx, infoMessage, q.text+"\n\n"+howToAnswer(q))
		return
	}
	s.tell(ctx, infoMessage, "emendo "+s.whereAsked(q)+"\n\n"+q.text+"\n\nThe answers are: "+titlesOf(q.choices))
	s.show(at.URI, &at.Range)
}

func howToAnswer(q *question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Answer with emendo.permission {\"sessionId\": %q, \"toolCallId\": %q, \"optionId\": …}, which can be:", q.sessionID, q.callID)
	for _, c := range q.choices {
		fmt.Fprintf(&b, "\n%s: %s", c.id, c.title)
	}
	return b.String()
}

// showLogCommand opens the server's log, or says where it is.
func (s *server) showLogCommand(ctx context.Context, _ struct{}) (any, error) {
	if s.o.LogFile == "" {
		s.tell(ctx, infoMessage, "emendo keeps no log file here; its log goes to standard error.")
		return nil, nil
	}
	uri := ide.FileURI(s.o.LogFile)
	if s.can.showDocument {
		s.show(string(uri), nil)
	} else {
		s.tell(ctx, infoMessage, "emendo's log is "+s.o.LogFile)
	}
	return struct {
		URI ide.URI `json:"uri"`
	}{uri}, nil
}
