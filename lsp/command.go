package lsp

import (
	"context"
	"encoding/json"

	"github.com/emendo-dev/emendo/internal/rpc"
)

type executeParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// executeCommand runs a command. Each takes one object, or nothing: some
// clients cannot give arguments.
func (s *server) executeCommand(ctx context.Context, p executeParams) (rpc.Work, error) {
	run := s.commands[p.Command]
	if run == nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "there is no command %q", p.Command)
	}
	var args json.RawMessage
	if len(p.Arguments) > 0 {
		args = p.Arguments[0]
	}
	return run(ctx, args)
}

// allCommands maps commands to what runs them.
func (s *server) allCommands() map[string]prepare {
	all := map[string]prepare{
		"emendo.ask": on(s.askCommand),

		"emendo.accept":    on(s.acceptCommand),
		"emendo.reject":    on(s.rejectCommand),
		"emendo.acceptAll": on(s.acceptAllCommand),
		"emendo.rejectAll": on(s.rejectAllCommand),
		"emendo.nextHunk":  on(s.nextHunkCommand),
		"emendo.prevHunk":  on(s.prevHunkCommand),

		"emendo.newSession": later(s.newSessionCommand),
		"emendo.cancel":     on(s.cancelCommand),
		"emendo.setMode":    later(s.setModeCommand),
		"emendo.setModel":   later(s.setModelCommand),
		"emendo.chat":       later(s.chatCommand),
		"emendo.permission": later(s.permissionCommand),
		"emendo.trust":      later(s.trustCommand),
		"emendo.showLog":    later(s.showLogCommand),
		"emendo.rewind":     later(s.rewindCommand),
		"emendo.compact":    later(s.compactCommand),
	}
	for name, wish := range wishes {
		all[name] = on(func(_ context.Context, a targetArgs) (rpc.Work, error) { return s.wishCommand(wish, a) })
	}
	return all
}
