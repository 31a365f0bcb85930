package main

import (
	"bufio"
	"fmt"

	"golang.org/x/term"

	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/extensions"
)

// extensions manages the extensions.
func (p process) extensions() []cli.Command {
	return extensions.Commands(func(run func(extensions.Command) error) error { return p.withExtensions(run) })
}

// withExtensions runs a command on the extensions of the current folder.
func (p process) withExtensions(run func(extensions.Command) error) error {
	at, err := p.currentFolder()
	if err != nil {
		return err
	}
	c := extensions.Command{
		Stdout: p.stdout, Warn: p.warn, Config: at.paths.Config, Gemini: p.geminiDir(), Disabled: at.settings.Extensions.Disabled,
		Store: at.store, Dir: at.dir, Trusted: at.trusted, Env: p.env,
	}
	if p.hasTerminal() {
		c.Ask = p.confirm
	}
	return run(c)
}

// hasTerminal reports whether the standard input is a terminal. The null device does not count.
func (p process) hasTerminal() bool { return p.stdin != nil && term.IsTerminal(int(p.stdin.Fd())) }

// confirm asks a question on the terminal.
func (p process) confirm(question string) (bool, error) {
	if _, err := fmt.Fprint(p.stdout, question); err != nil {
		return false, err
	}
	line, err := bufio.NewReader(p.stdin).ReadString('\n')
	if err != nil && line == "" {
		return false, nil //nolint:nilerr // the end of the input is no approval
	}
	return extensions.Confirmed(line), nil
}
