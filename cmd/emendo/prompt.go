package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits on a prompt from standard input.
const (
	maxStdin       = 8 << 20                // bytes
	stdinFirstByte = 500 * time.Millisecond // wait, if there is already a prompt
)

// promptText combines the prompt from the command line and standard input.
func (p process) promptText(ctx context.Context, text string, prompted bool) (string, error) {
	if text == "-" { // as other programs call standard input
		text, prompted = "", false
	}
	piped, err := p.readStdin(ctx, prompted)
	if err != nil {
		return "", exit{exitInput, fmt.Errorf("read standard input: %w", err)}
	}
	switch {
	case strings.TrimSpace(text) == "" && prompted:
		return "", badInput("the prompt is empty")
	case strings.TrimSpace(piped) == "" && text == "":
		return "", badInput("no prompt: pass one with -p, as an argument or on standard input")
	case piped != "" && text != "":
		return piped + "\n\n" + text, nil
	}
	return text + piped, nil
}

// readStdin reads piped text. It does not wait for a terminal, nor for a silent
// pipe if there is already a prompt.
func (p process) readStdin(ctx context.Context, prompted bool) (string, error) {
	if p.stdin == nil {
		return "", nil
	}
	fi, err := p.stdin.Stat()
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
		n, err := p.stdin.Read(b)
		first <- read{b[:n], err}
		if err != nil {
			all <- read{b[:n], err}
			return
		}
		rest, err := io.ReadAll(io.LimitReader(p.stdin, maxStdin))
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
		if len(r.text) > maxStdin {
			r.text = wholeRunes(r.text[:maxStdin])
			fmt.Fprintf(p.stderr, "emendo: standard input was cut at %d bytes\n", maxStdin)
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
