package main

import (
	"context"
	"flag"
	"time"

	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/models"
)

// models lists the models that can be used.
func (p process) models(f *flag.FlagSet) cli.Run {
	asJSON := f.Bool("json", false, "print JSON")
	refresh := f.Bool("refresh", false, "ask providers again that were asked within a day")
	return func(ctx context.Context, _ []string) error {
		paths, s, err := p.userSettings()
		if err != nil {
			return err
		}
		m, err := wiring{process: p, paths: paths, log: p.logger()}.models(s)
		if err != nil {
			return exit{exitConfig, err}
		}
		c := models.Command{
			Models: m, Cache: paths.Cache, Now: time.Now, Stdout: p.stdout,
			Clean: func(s string) string { return printable(p.secrets.Text(s)) },
		}
		return c.Run(ctx, *asJSON, *refresh)
	}
}
