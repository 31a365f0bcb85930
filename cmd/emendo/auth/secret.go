package auth

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"

	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/internal/redact"
)

// maxSecret limits a key, in bytes.
const maxSecret = 16 << 10

// typing reports whether the user is at a terminal.
func (c Command) typing() bool { return c.Stdin != nil && term.IsTerminal(int(c.Stdin.Fd())) }

// secret reads the key of a provider: from the terminal, which does not show it, or else
// from standard input.
func (c Command) secret(ctx context.Context, name string) (string, error) {
	var text string
	var err error
	switch {
	case c.Stdin == nil:
	case c.typing():
		fmt.Fprintf(c.Stderr, "Key of %s (it is not shown): ", name)
		text, err = c.hidden(ctx)
	default:
		text, err = c.piped(ctx)
	}
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(text)
	c.Secrets.Learn(redact.Secret{Name: name + " key", Value: key})
	switch {
	case key == "":
		return "", cli.BadInput("auth login: no key was given; type it, or pass it on standard input, as in `emendo auth login %s < FILE`", name)
	case len(key) > maxSecret, strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "", cli.BadInput("auth login: that is not a key: it has spaces, line ends or characters that no header can have")
	}
	return key, nil
}

// hidden reads a line from the terminal without echo. The terminal is as it was when it
// returns, also if ctx ends.
func (c Command) hidden(ctx context.Context) (string, error) {
	fd := int(c.Stdin.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("read the key from the terminal: %w", err)
	}
	text, err := interruptible(ctx, func() (string, error) {
		b, err := term.ReadPassword(fd)
		return string(b), err
	})
	fmt.Fprintln(c.Stderr)
	if ctx.Err() != nil {
		return "", errors.Join(context.Cause(ctx), term.Restore(fd, before))
	}
	if errors.Is(err, io.EOF) {
		return "", nil
	}
	return text, err
}

// piped reads what is piped in. More than a key is an error of the caller's.
func (c Command) piped(ctx context.Context) (string, error) {
	return interruptible(ctx, func() (string, error) {
		b, err := io.ReadAll(io.LimitReader(c.Stdin, maxSecret+2))
		return string(b), err
	})
}

// line reads a line that the terminal shows.
func (c Command) line(ctx context.Context) (string, error) {
	return interruptible(ctx, func() (string, error) {
		line, err := bufio.NewReaderSize(oneByte{c.Stdin}, 16).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return strings.TrimSpace(line), err
	})
}

// oneByte reads single bytes: what follows the line is the key, and is for another
// reader.
type oneByte struct{ io.Reader }

// Read implements [io.Reader].
func (r oneByte) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), 1)]) }

// interruptible returns what read returns, or the cause of ctx if that ends first. The
// reading ends with the process then.
func interruptible(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
