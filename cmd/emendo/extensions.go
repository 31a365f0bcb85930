package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/emendo-dev/emendo/cmd/emendo/extensions"
)

// runExtensions manages the extensions.
func runExtensions(p process, _ context.Context, args []string) error { //nolint:revive // as the methods of process are run
	f := newFlags("extensions")
	asJSON := f.Bool("json", false, "print JSON (list)")
	consent := f.Bool("consent", false, "approve what the extension does (install, enable)")
	f.BoolVar(consent, "yes", false, "the same as --consent")
	rest, err := p.parse(f, extensions.Usage, args)
	if err != nil {
		return err
	}
	at, err := p.here()
	if err != nil {
		return err
	}
	c := extensions.Command{
		Stdout: p.stdout, Warn: p.warn, Config: at.paths.Config, Gemini: p.geminiDir(), Disabled: at.settings.Extensions.Disabled,
		Store: at.store, Dir: at.dir, Trusted: at.trusted, Env: p.env,
	}
	if p.stdin != nil {
		if info, err := p.stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			c.Ask = p.confirm
		}
	}
	switch err := c.Run(rest, extensions.Flags{JSON: *asJSON, Consent: *consent}); {
	case errors.Is(err, extensions.ErrInput):
		return exit{exitInput, err}
	default:
		return err
	}
}

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
