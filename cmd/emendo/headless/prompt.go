package headless

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/visible"
)

// MaxStdin is how much of standard input is read, in bytes.
const MaxStdin = 8 << 20

// How long a pipe is waited for if there is already a prompt. Programs such as git diff
// need some seconds on a slow disk; a pipe that is never written comes from a parent that
// only forgot to close it.
const (
	pipeSilent = 2 * time.Second  // until the user is told
	pipeFirst  = 10 * time.Second // for the first byte, after which the end is waited for
	pipeIdle   = 10 * time.Second // from the first byte until the user is told
)

// ReadPrompt reads piped text; stdin may be nil, and is not read if it is a terminal or
// the null device. With prompted, there is a prompt beside it: then a pipe that stays
// silent is given up after ten seconds, and the user is told how much was read. Text that
// is too long is cut. What the user is told goes through warn, a line at a time.
func ReadPrompt(ctx context.Context, stdin *os.File, prompted bool, warn func(text string)) (string, error) {
	if stdin == nil {
		return "", nil
	}
	if fi, err := stdin.Stat(); err != nil || fi.Mode()&os.ModeCharDevice != 0 {
		return "", nil //nolint:nilerr // closed, a terminal, or the null device
	}
	return readPiped(ctx, stdin, prompted, warn)
}

func readPiped(ctx context.Context, stdin io.Reader, prompted bool, warn func(text string)) (string, error) {
	type read struct {
		text []byte
		err  error
	}
	first, all := make(chan struct{}), make(chan read, 1)
	go func() { // ends with the process if nothing ever arrives
		b := make([]byte, 1)
		n, err := io.ReadFull(stdin, b)
		close(first)
		if err == nil {
			b, err = io.ReadAll(io.MultiReader(bytes.NewReader(b), io.LimitReader(stdin, MaxStdin)))
			n = len(b)
		}
		all <- read{b[:n], err}
	}()
	var silent, late, idle <-chan time.Time // nil: the user is told nothing
	if prompted {
		silent, late = time.After(pipeSilent), time.After(pipeFirst)
	}
	for {
		select {
		case <-first:
			first, silent, late = nil, nil, nil
			if prompted {
				idle = time.After(pipeIdle)
			}
		case <-silent:
			warn("emendo: waiting for standard input; </dev/null leaves it out")
		case <-late:
			warn(fmt.Sprintf("emendo: nothing came on standard input in %d seconds: going on without it", pipeFirst/time.Second))
			return "", nil
		case <-idle:
			warn("emendo: waiting for the end of standard input")
		case r := <-all:
			if r.err != nil && r.err != io.EOF {
				return "", r.err
			}
			text := string(r.text)
			if len(text) > MaxStdin {
				text = visible.CutBytes(text, MaxStdin)
				warn(fmt.Sprintf("emendo: standard input was cut at %d bytes", MaxStdin))
			}
			text = strings.TrimRight(text, "\n")
			if prompted && text != "" {
				warn(fmt.Sprintf("emendo: standard input is sent with the prompt (%s); </dev/null leaves it out", amount(text)))
			}
			return text, nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// amount describes the size of a text.
func amount(text string) string {
	if lines := strings.Count(text, "\n") + 1; lines > 1 {
		return fmt.Sprintf("%d lines", lines)
	}
	return "1 line"
}
