package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/inventory"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp"
)

// trust changes and lists the trusted folders.
func (p process) trust() []cli.Command {
	return []cli.Command{
		{Name: "add", Args: "[FOLDER]", Summary: "trust a folder, this one by default", Setup: func(f *flag.FlagSet) cli.Run {
			below := f.Bool("below", false, "trust every folder below it too")
			return p.withTrust(func(d decisions, dir string) error { return d.add(dir, *below) })
		}},
		{Name: "remove", Args: "[FOLDER]", Summary: "stop trusting a folder, this one by default", Setup: cli.Plain(p.withTrust(decisions.remove))},
		{Name: "list", Summary: "list the trusted folders", Setup: func(f *flag.FlagSet) cli.Run {
			asJSON := f.Bool("json", false, "print JSON")
			return p.withTrust(func(d decisions, _ string) error { return d.list(*asJSON) })
		}},
	}
}

// withTrust returns a function that runs a command on the trust decisions and a
// folder.
func (p process) withTrust(run func(d decisions, dir string) error) cli.Run {
	return func(_ context.Context, args []string) error {
		paths, err := p.folders()
		if err != nil {
			return err
		}
		return run(decisions{p, paths, trust.Open(paths.State)}, append(args, ".")[0])
	}
}

// decisions manages the trusted folders.
type decisions struct {
	process process
	paths   settings.Paths
	store   *trust.Store
}

func (d decisions) list(asJSON bool) error {
	folders, err := d.store.List()
	if err != nil {
		return err
	}
	if asJSON {
		return visible.PrintJSON(d.process.stdout, folders)
	}
	for _, f := range folders {
		path := printable(f.Path)
		if f.Below {
			path = printable(filepath.Join(f.Path, "...")) // the notation of the go command
		}
		if trusted, _ := d.store.Trusts(f.Path); !trusted {
			path += " (deleted or replaced, so restricted)"
		}
		if _, err := fmt.Fprintln(d.process.stdout, path); err != nil {
			return err
		}
	}
	return nil
}

// add prints what the folder would start, and approves exactly that. On a terminal it asks
// first.
func (d decisions) add(dir string, below bool) error {
	real, err := realDir(dir)
	if err != nil {
		return exit{exitInput, err}
	}
	if below && filepath.Dir(real) == real {
		return cli.BadInput("trust add --below: %s is the whole disk; use the folder with your projects", real)
	}
	v, looks, err := d.process.inventory(d.paths, d.store, real)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(d.process.stdout, "%s:\n%s", printable(real), v.Text(looks)); err != nil {
		return err
	}
	add, more := d.store.Add, ""
	if below {
		add, more = d.store.AddBelow, ", with every current and future folder below it"
	}
	if d.process.hasTerminal() {
		yes, err := d.process.confirm("Trust it" + more + "? [y/N] ")
		if err != nil {
			return err
		}
		if !yes {
			_, err := fmt.Fprintln(d.process.stdout, "Nothing was changed.")
			return err
		}
	}
	if err := d.store.ApproveOnly(real, looks...); err != nil {
		return err
	}
	if _, err := add(real); err != nil {
		return err
	}
	_, err = fmt.Fprintf(d.process.stdout, "%s is trusted%s: the agent may run commands there, as your rules and approvals allow.\n", printable(real), more)
	return err
}

func (d decisions) remove(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	removed, err := d.store.Remove(dir)
	if err != nil {
		return err
	}
	if !removed {
		_, err = fmt.Fprintf(d.process.stdout, "%s was not trusted\n", printable(dir))
		return err
	}
	if trusted, err := d.store.Trusts(dir); err == nil && trusted {
		_, err = fmt.Fprintf(d.process.stdout, "%s was removed from the list, but is still trusted: it is below a folder that was trusted with --below\n", printable(dir))
		return err
	}
	_, err = fmt.Fprintf(d.process.stdout, "%s is restricted: the agent can read files and propose edits there, but not run commands\n", printable(dir))
	return err
}

// runTrust returns which folders a run trusts and what it may start. With --trust,
// both apply to this process only: it approves what the folders would start now,
// but not later changes.
func (p process) runTrust(paths settings.Paths, flag bool, at place, log *slog.Logger) (trusted func(string) bool, approvals *trust.Store, err error) {
	store := trust.Open(paths.State)
	if _, err := store.Trusts(at.cwd); err != nil {
		if _, broken := errors.AsType[*trust.UnreadableError](err); broken {
			return nil, nil, exit{exitConfig, err}
		}
	}
	if !flag {
		return storedTrust(store, log), store, nil
	}
	run := store.ForRun()
	set, _, _ := settings.Load(settings.Options{Paths: paths, Env: p.env}) // the user's own; errors are reported elsewhere
	for _, root := range at.roots {
		looks, unread, err := looksAt(run, root, inventory.Starts(inventory.Options{Folder: root, Env: p.env, Outside: set.HooksConfig.Outside, OutsideServers: set.MCP.Outside}))
		if err != nil {
			return nil, nil, exit{exitConfig, err}
		}
		for _, u := range unread {
			p.warn("not started: " + u)
		}
		if err := run.Approve(root, looks...); err != nil {
			return nil, nil, err
		}
	}
	return func(string) bool { return true }, run, nil
}

// offerTrust lets the user of an editor trust a folder.
func (w wiring) offerTrust(store *trust.Store, folder string) (lsp.TrustOffer, error) {
	shown, err := os.Stat(folder)
	if err != nil {
		return lsp.TrustOffer{}, fmt.Errorf("trust %s: %w", folder, err)
	}
	v, looks, err := w.process.inventory(w.paths, store, folder)
	if err != nil {
		return lsp.TrustOffer{}, err
	}
	o := lsp.TrustOffer{Starts: len(looks) > 0, Store: offered{store, folder, shown, looks}}
	if !v.Empty() {
		o.Text = v.Text(looks)
	}
	return o, nil
}

// offered implements [client.TrustStore] for a folder that was shown to the user.
type offered struct {
	store  *trust.Store
	folder string
	shown  os.FileInfo
	looks  []trust.Look
}

// check returns an error if the folder has changed while the question was open.
func (o offered) check() error {
	if now, err := os.Stat(o.folder); err != nil || !os.SameFile(o.shown, now) {
		return fmt.Errorf("trust %s: the folder was replaced while you were asked; review it and trust it again", o.folder)
	}
	return nil
}

func (o offered) Add() error {
	if err := o.check(); err != nil {
		return err
	}
	if _, err := o.store.Add(o.folder); err != nil {
		return fmt.Errorf("trust %s: %w", o.folder, err)
	}
	return nil
}

func (o offered) Approve() error {
	if err := o.check(); err != nil {
		return err
	}
	return o.store.ApproveOnly(o.folder, o.looks...)
}

// inventory returns what a folder would start and configure, with the current state
// of each entry. Entries that cannot be read are listed as unread.
func (p process) inventory(paths settings.Paths, store *trust.Store, dir string) (inventory.Inventory, []trust.Look, error) {
	set, _, _ := settings.Load(settings.Options{Paths: paths, Env: p.env}) // the user's own; errors are reported elsewhere
	v, err := inventory.Scan(inventory.Options{Folder: dir, ContextNames: briefing.ContextNames(set.Context.FileNames), Env: p.env, Outside: set.HooksConfig.Outside, OutsideServers: set.MCP.Outside})
	if err != nil {
		return v, nil, err
	}
	looks, unread, err := looksAt(store, v.Folder, v.Starts)
	v.Unread = append(v.Unread, unread...)
	return v, looks, err
}

// looksAt inspects entries of a folder. Entries that cannot be read are returned as
// unread; the error means that none can.
func looksAt(store *trust.Store, dir string, entries []trust.Entry) (looks []trust.Look, unread []string, err error) {
	for _, e := range entries {
		l, err := store.Approved(dir, e)
		if _, broken := errors.AsType[*trust.UnreadableError](err); broken {
			return nil, nil, err
		}
		if err != nil {
			unread = append(unread, err.Error())
			continue
		}
		looks = append(looks, l)
	}
	return looks, unread, nil
}
