package terminal

import (
	"context"

	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/tools"
)

// watch finds a command in the background, and returns what sends its output: what is kept of
// it, then what comes.
func (x *terminal) watch(ctx context.Context, p openParams) (func(), error) {
	ses, err := x.c.Host.Session(ctx, p.SessionID)
	if err != nil {
		return nil, err
	}
	job := ses.State.Jobs.Find(p.PID)
	if job == nil {
		return nil, client.ErrNoJob
	}
	return func() { x.follow(job) }, nil
}

// follow sends what a command in the background writes until it has ended or the terminal is
// closed. Of what the client takes too slowly the older part is left out.
func (x *terminal) follow(job tools.Job) {
	out := &output{to: x}
	show := shower{}
	for at := int64(0); ; {
		b, next, err := job.Written(x.life, at)
		if lost := next - at - int64(len(b)); lost > 0 {
			b = append([]byte("\x1b[0m["+phrase.Say("terminal.omitted", "n", lost).Text+"]\n"), b...)
		}
		if out.write(show.filter(b)) != nil {
			return
		}
		if err != nil { // its end, or that of the terminal
			break
		}
		at = next
	}
	if x.life.Err() == nil {
		_ = out.end(exit{Text: phrase.Say("terminal.state", "state", job.State())}) // the connection has ended
	}
}
