package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/auth"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/extensions"
	"github.com/emendo-dev/emendo/cmd/emendo/servers"
	"github.com/emendo-dev/emendo/internal/providers"
	"github.com/emendo-dev/emendo/internal/visible"
)

// completion prints the completion script of a shell, and the candidates for these
// scripts.
func (p process) completion() []cli.Command {
	var l []cli.Command
	for _, s := range cli.Scripts() {
		l = append(l, cli.Command{Name: s.Shell, Summary: "print the script for " + s.Shell + "; usage: " + s.Start, Setup: cli.Plain(func(context.Context, []string) error {
			_, err := io.WriteString(p.stdout, s.Text)
			return err
		})})
	}
	return append(l, cli.Command{Name: "candidates", Args: "[WORD...]", Summary: "print the completions of the last word", Hidden: true, Setup: cli.Plain(func(_ context.Context, words []string) error {
		p.stderr = io.Discard // the user is typing
		_, err := fmt.Fprint(p.stdout, p.program().Complete(words, p.values))
		return err
	})})
}

// maxOffered limits the sessions offered as completions.
const maxOffered = 50

// values returns the completions for a kind of value. Anything that cannot be read
// is left out.
func (p process) values(kind string) (l []cli.Candidate) {
	switch kind {
	case "MODEL":
		for _, m := range p.offered() {
			l = append(l, cli.Candidate{Text: m.ID, Help: m.Description})
		}
	case "SESSION":
		paths, err := p.folders()
		if err != nil {
			return nil
		}
		dir, err := realDir(".")
		if err != nil {
			return nil
		}
		all, _, err := transcript.NewStore(filepath.Join(paths.State, "sessions")).List(transcript.Listing{Cwd: dir})
		if err != nil {
			return nil
		}
		for _, info := range all[:min(len(all), maxOffered)] {
			l = append(l, cli.Candidate{Text: info.ID, Help: visible.OneLine(printable(p.secrets.Text(info.Title)))})
		}
	case "SERVER":
		_ = p.withServers(func(c servers.Command) error { l = named(c.Names()); return nil })
	case "PROVIDER":
		_ = p.withLogins(func(c auth.Command) error { l = named(c.Names()); return nil })
	case "EXTENSION":
		_ = p.withExtensions(func(c extensions.Command) error { l = named(c.Names()); return nil })
	}
	return l
}

func named(names []string) (l []cli.Candidate) {
	for _, n := range names {
		l = append(l, cli.Candidate{Text: visible.Line(n)})
	}
	return l
}

// manual prints the manual page.
func (p process) manual(context.Context, []string) error {
	_, err := io.WriteString(p.stdout, p.program().Manual(version, statusSection(), environmentSection, filesSection))
	return err
}

// statuses are the exit statuses, their names in the output for scripts, if they have one,
// and their meanings.
var statuses = []struct {
	code       int
	name, text string
}{
	{exitOK, "", "success, even if calls failed or were denied"},
	{exitFailure, "", "a failure, such as an error of the provider or an incomplete answer"},
	{exitAuth, "", "not signed in, or the provider rejected the credentials"},
	{exitInput, "input", "a mistake on the command line: a flag, a folder, an empty prompt, an unknown session"},
	{exitSandbox, "sandbox", "no sandbox is available, and the settings demand one"},
	{exitConfig, "configuration", "a mistake in the settings or in a file of rules"},
	{exitTurnLimit, "turn_limit", "a limit was reached: of model requests, tokens or cost"},
	{exitTool, "tool", "a tool failure that the model cannot work around: the disk is full"},
	{exitUntrusted, "untrusted_workspace", "the mode needs a trusted folder, and this one is restricted"},
	{signalled{1}.exitStatus(), "cancelled", "ended by SIGHUP"},
	{signalled{2}.exitStatus(), "cancelled", "ended by SIGINT"},
	{signalled{15}.exitStatus(), "cancelled", "ended by SIGTERM"},
}

func statusSection() cli.Section {
	s := cli.Section{Title: "EXIT STATUS"}
	for _, st := range statuses {
		s.Items = append(s.Items, [2]string{strconv.Itoa(st.code), st.text})
	}
	return s
}

// otherKeys names the variables with keys of services other than the first.
func otherKeys() [2]string {
	var variables, titles []string
	for _, p := range providers.Services()[1:] {
		variables, titles = append(variables, p.Keys...), append(titles, p.Title)
	}
	return [2]string{strings.Join(variables, ", "), "the keys for " + strings.Join(titles, " and ") + ", likewise"}
}

var environmentSection = cli.Section{Title: "ENVIRONMENT", Items: [][2]string{
	{strings.Join(providers.All[0].Keys, ", "), "the key for " + providers.All[0].Title + ", before that of emendo auth login"},
	otherKeys(),
	{strings.Join(providers.Variables(func(p providers.Provider) bool { return p.Local }), ", "), "the keys for local servers, if they want one"},
	{"HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE", "the proxy, its exceptions, the trusted authorities"},
	{"EMENDO_HOME", "a folder for settings and sessions in place of the default ones"},
	{a2aToken, "the token that clients of emendo a2a send; generated if not set"},
	{"NO_COLOR", "no colours in emendo demo"},
}}

var filesSection = cli.Section{Title: "FILES", Items: [][2]string{
	{"~/.config/emendo/settings.json", "the user's settings"},
	{".emendo/settings.json", "settings of a project, used once its folder is trusted"},
	{"~/.local/state/emendo", "sessions, logs and approvals"},
}}
