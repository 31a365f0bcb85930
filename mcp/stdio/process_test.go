package stdio_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/mcp/stdio"
)

// heldOpen is a process that has ended, whose standard error another one still has. It
// implements [sandbox.Spawner] too.
type heldOpen struct {
	sandbox.Process

	errs *io.PipeReader
}

func (p heldOpen) Start(context.Context, sandbox.Command) (sandbox.Process, error) { return p, nil }
func (p heldOpen) Output() io.ReadCloser                                           { return io.NopCloser(strings.NewReader("")) }
func (p heldOpen) Errors() io.ReadCloser                                           { return p.errs }
func (p heldOpen) Wait() sandbox.Exit                                              { return sandbox.Exit{Code: 1} }

func (p heldOpen) Kill(time.Duration) (ended, left []int) { return nil, nil }

// What a server writes last is told, also without the end of a line.
func TestLastWordsWithoutLineEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		errs, out := io.Pipe()
		p, err := stdio.Start(t.Context(), heldOpen{errs: errs}, sandbox.Command{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		defer out.Close()
		if _, err := io.WriteString(out, "no token"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := p.Reason(); err == nil || err.Error() != "it exited with code 1: no token" {
			t.Errorf("the reason is %v", err)
		}
	})
}
