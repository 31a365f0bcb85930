// Package terminals runs commands in the terminals of an ACP client, which shows them to
// the user. It knows nothing of sandboxes: whoever uses it decides which commands may run
// without one.
package terminals

import (
	"context"
	"errors"
	"time"

	"github.com/emendo-dev/emendo/acp/client"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// Limits of a terminal.
const (
	outputLimit = 1 << 20         // bytes that the client keeps
	endPatience = 5 * time.Second // for the client to answer once a command is to end
)

// Terminals are those of one client. They are used only if the client declared them.
type Terminals struct{ Client *client.Client }

// Command is a command to run.
type Command struct {
	Session string // the ID of the session that runs it, in which the client shows it
	Argv    []string
	Dir     string
}

// A Terminal runs one command.
type Terminal struct {
	ID string

	t       Terminals
	session string
}

// Exit is how a command ended.
type Exit struct {
	Code   *int   `json:"exitCode"`
	Signal string `json:"signal"`
}

type createParams struct {
	SessionID string     `json:"sessionId"`
	Command   string     `json:"command"`
	Args      []string   `json:"args"`
	Env       []struct{} `json:"env"` // none beside the client's
	Cwd       string     `json:"cwd"`
	Limit     int        `json:"outputByteLimit"`
}

type terminalParams struct {
	SessionID  string `json:"sessionId"`
	TerminalID string `json:"terminalId"`
}

// Start has the client start a command. If ctx ends before the client has answered, the
// command is ended as soon as the client has started it.
func (t Terminals) Start(ctx context.Context, c Command) (*Terminal, error) {
	x := &Terminal{t: t, session: c.Session}
	p := createParams{SessionID: x.session, Command: c.Argv[0], Args: c.Argv[1:], Env: []struct{}{}, Cwd: c.Dir, Limit: outputLimit}
	created := make(chan error)
	begun := t.Client.Go(func() {
		err := x.create(context.WithoutCancel(ctx), p)
		select {
		case created <- err:
		case <-ctx.Done():
			if err == nil { // the command runs, and nobody else knows of it
				x.abandon(ctx)
			}
		}
	})
	if !begun {
		return nil, rpc.ErrClosed
	}
	select {
	case err := <-created:
		if err != nil {
			return nil, err
		}
		return x, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// create waits for the client's answer.
func (x *Terminal) create(ctx context.Context, p createParams) error {
	var answer struct {
		TerminalID string `json:"terminalId"`
	}
	if err := x.t.Client.Call(ctx, "terminal/create", p, &answer); err != nil {
		return err
	}
	if x.ID = answer.TerminalID; x.ID == "" {
		return errors.New("the editor's answer names no terminal")
	}
	return nil
}

// abandon ends the command and frees the terminal.
func (x *Terminal) abandon(ctx context.Context) {
	if err := errors.Join(x.Kill(ctx), x.Release(ctx)); err != nil {
		x.t.Client.Log.Warn("the editor did not end a command", "error", err)
	}
}

func (x *Terminal) call(ctx context.Context, method string, result any) error {
	return x.t.Client.Call(ctx, method, terminalParams{x.session, x.ID}, result)
}

// Output returns the output so far.
func (x *Terminal) Output(ctx context.Context) (string, error) {
	var answer struct {
		Output string `json:"output"`
	}
	err := x.call(ctx, "terminal/output", &answer)
	return answer.Output, err
}

// Wait waits for the end of the command.
func (x *Terminal) Wait(ctx context.Context) (Exit, error) {
	var e Exit
	err := x.call(ctx, "terminal/wait_for_exit", &e)
	return e, err
}

// Kill ends the command.
func (x *Terminal) Kill(ctx context.Context) error { return x.ending(ctx, "terminal/kill") }

// Release frees the terminal. The client goes on showing its output.
func (x *Terminal) Release(ctx context.Context) error { return x.ending(ctx, "terminal/release") }

func (x *Terminal) ending(ctx context.Context, method string) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endPatience) // what was started ends, whatever else does
	defer stop()
	return x.call(ctx, method, nil)
}
