package terminals

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/acp/terminals"
	"github.com/emendo-dev/emendo/internal/sandbox"
)

// slow is the terminal of an editor that takes its time to return the output of a command,
// which ended at once.
type slow struct{ takes time.Duration }

func (s slow) Output(ctx context.Context) (string, error) {
	select {
	case <-time.After(s.takes):
		return "hello\n", nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (slow) Wait(context.Context) (terminals.Exit, error) {
	code := 3
	return terminals.Exit{Code: &code}, nil
}

func (slow) Kill(context.Context) error    { return nil }
func (slow) Release(context.Context) error { return nil }

// TestTheOutputOfASlowEditor: the output of a command is not lost because the editor is
// busy, and if it does not come, the model reads so.
func TestTheOutputOfASlowEditor(t *testing.T) {
	for _, tt := range []struct {
		name  string
		takes time.Duration
		want  string
	}{
		{"at once", 0, "hello\n"},
		{"after some seconds", 20 * time.Second, "hello\n"},
		{"never", time.Hour, "[the editor did not return the rest of the output]\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := follow(t.Context(), "t1", slow{tt.takes}, slog.New(slog.DiscardHandler))
				output, err := io.ReadAll(p.Output())
				if got := string(output); err != nil || got != tt.want {
					t.Errorf("got %q, %v; want %q", got, err, tt.want)
				}
				if got, want := p.Wait(), (sandbox.Exit{Code: 3}); got != want {
					t.Errorf("it ended with %+v, want %+v", got, want)
				}
			})
		})
	}
}
