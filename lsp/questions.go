package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
)

// questions are those that the user has not answered yet. The command
// emendo.permission answers them too.
type questions struct {
	mu   sync.Mutex
	list []*question
}

type question struct {
	agent.Question
	answer   chan agent.Answer // of the command; room for one
	withdraw context.CancelCauseFunc
	closed   chan struct{}
}

// errAnswered says why a question is withdrawn from the client.
var errAnswered = errors.New("the question was answered by a command")

// open adds a question. One that the user is being asked already waits until
// that is answered: an answer once is for one call. The context ends when the
// question is answered elsewhere.
func (l *questions) open(ctx context.Context, q agent.Question) (context.Context, *question, error) {
	for {
		its, o, before := l.add(ctx, q)
		if before == nil {
			return its, o, nil
		}
		select {
		case <-before.closed:
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

// add adds a question, or gives the identical one that is open.
func (l *questions) add(ctx context.Context, q agent.Question) (its context.Context, added, before *question) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.list {
		if o.SessionID == q.SessionID && o.Call.Name == q.Call.Name && reflect.DeepEqual(o.Preview, q.Preview) {
			return nil, nil, o
		}
	}
	ctx, withdraw := context.WithCancelCause(ctx)
	o := &question{q, make(chan agent.Answer, 1), withdraw, make(chan struct{})}
	l.list = append(l.list, o)
	return ctx, o, nil
}

func (l *questions) close(o *question) {
	o.withdraw(nil)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = slices.DeleteFunc(l.list, func(q *question) bool { return q == o })
	close(o.closed)
}

// all are the open questions, the oldest first.
func (l *questions) all() []*question {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.list)
}

// give answers a question, unless that was done before.
func (l *questions) give(q *question, a agent.Answer) {
	select {
	case q.answer <- a:
		q.withdraw(errAnswered)
	default:
	}
}

// describe says in full what is asked: exactly the command, where, and what it
// would not see.
func describe(q agent.Question) string {
	var b strings.Builder
	p := q.Preview
	switch {
	case p.Command != "":
		fmt.Fprintf(&b, "emendo wants to run this command in %s:\n\n%s\n", visible.Text(p.Cwd), visible.Text(p.Command))
	case p.Executable != nil:
		describeExecutable(&b, *p.Executable)
	case p.Plan != "":
		fmt.Fprintf(&b, "emendo has written a plan and would carry it out: %s\n", visible.Text(p.Plan))
	case len(p.URLs) > 0:
		fmt.Fprintf(&b, "emendo wants to reach %s.\n", visible.Text(strings.Join(p.URLs, ", ")))
	case len(p.Paths) > 0:
		fmt.Fprintf(&b, "emendo wants to read %s.\n", visible.Text(strings.Join(p.Paths, ", ")))
	default:
		fmt.Fprintf(&b, "emendo wants to do this: %s\n", visible.Text(q.Call.Title))
	}
	switch p.Sandbox {
	case "":
	case "C":
		b.WriteString("\nIt would run without a sandbox.\n")
	default:
		fmt.Fprintf(&b, "\nIt would run in a sandbox of level %s.\n", p.Sandbox)
	}
	if q.Reason != "" {
		fmt.Fprintf(&b, "\n%s\n", visible.Text(q.Reason))
	}
	if len(p.Unsaved) > 0 {
		b.WriteString("\nNot saved, so the command sees the text on disk:\n")
		for _, u := range p.Unsaved {
			fmt.Fprintf(&b, "- %s\n", visible.Text(cmp.Or(ide.ParseURI(string(u)).Path(), string(u))))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// describeExecutable says what a folder's own settings would start.
func describeExecutable(b *strings.Builder, e agent.Executable) {
	what := map[string]string{"hook": "the hook", "mcp": "the MCP server", "discovery": "the discovery command"}[e.Kind]
	fmt.Fprintf(b, "The settings of this project would start %s %s:\n\n%s\n", what, visible.Text(e.Name), visible.Text(e.Command))
	if len(e.Env) > 0 {
		fmt.Fprintf(b, "\nIt sets %s.\n", visible.Text(strings.Join(e.Env, ", ")))
	}
}
