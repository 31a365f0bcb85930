package headless

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxStdin is how much of standard input is read, in bytes.
const MaxStdin = 8 << 20

// stdinFirstByte is how long a silent pipe is waited for if there is already a prompt.
const stdinFirstByte = 500 * time.Millisecond

// ReadPrompt reads piped text; stdin may be nil. It does not wait for a terminal, nor for
// a silent pipe if there is already a prompt. Text that is too long is cut, with a warning.
func ReadPrompt(ctx context.Context, stdin *os.File, prompted bool, warn func(text string)) (string, error) {
	if stdin == nil {
		return "", nil
	}
	fi, err := stdin.Stat()
	if err != nil || fi.Mode()&os.ModeCharDevice != 0 {
		return "", nil // closed, a terminal, or the null device
	}
	type read struct {
		text []byte
		err  error
	}
	first, all := make(chan read, 1), make(chan read, 1)
	go func() { // ends with the process if nothing ever arrives
		b := make([]byte, 1)
		n, err := stdin.Read(b)
		first <- read{b[:n], err}
		if err != nil {
			all <- read{b[:n], err}
			return
		}
		rest, err := io.ReadAll(io.LimitReader(stdin, MaxStdin))
		all <- read{append(b[:n], rest...), err}
	}()
	var late <-chan time.Time
	if prompted {
		t := time.NewTimer(stdinFirstByte)
		defer t.Stop()
		late = t.C
	}
	select {
	case <-first:
	case <-late:
		return "", nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	select {
	case r := <-all:
		if r.err != nil && r.err != io.EOF {
			return "", r.err
		}
		if len(r.text) > MaxStdin {
			r.text = wholeRunes(r.text[:MaxStdin])
			warn(fmt.Sprintf("emendo: standard input was cut at %d bytes", MaxStdin))
		}
		return strings.TrimRight(string(r.text), "\n"), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// wholeRunes drops an incomplete character at the end.
func wholeRunes(b []byte) []byte {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}
