package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/inventory"
	"github.com/emendo-dev/emendo/agent/memory"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/lsp"
)

const trustUsage = "add|remove|list [--below] [--json] [PATH]"

// trust changes and lists the folders that may act.
func (p process) trust(_ context.Context, args []string) error {
	f := newFlags("trust")
	below := f.Bool("below", false, "with add: trust every folder below it too")
	asJSON := f.Bool("json", false, "with list: as JSON")
	rest, err := p.parse(f, trustUsage, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return badInput("trust: say what to do: %s", trustUsage)
	}
	verb, rest := rest[0], rest[1:]
	switch {
	case *below && verb != "add":
		return badInput("trust %s takes no --below", verb)
	case *asJSON && verb != "list":
		return badInput("trust %s takes no --json", verb)
	}
	paths, err := p.folders()
	if err != nil {
		return err
	}
	store := trust.Open(paths.State)
	if verb == "list" {
		if len(rest) > 0 {
			return badInput("trust list takes no path, but there is %q", rest[0])
		}
		return decisions{p, paths, store}.list(*asJSON)
	}
	dir := "."
	switch len(rest) {
	case 0:
	case 1:
		dir = rest[0]
	default:
		return badInput("trust %s takes one path, but there is also %q", verb, rest[1])
	}
	switch verb {
	case "add":
		return decisions{p, paths, store}.add(dir, *below)
	case "remove":
		return decisions{p, paths, store}.remove(dir)
	}
	return badInput("trust: there is no %q; there are add, remove and list", verb)
}

// decisions are the folders that the user trusts.
type decisions struct {
	process
	paths settings.Paths
	store *trust.Store
}

func (d decisions) list(asJSON bool) error {
	folders, err := d.store.List()
	if err != nil {
		return trustFailed(err)
	}
	if asJSON {
		e := json.NewEncoder(d.stdout)
		e.SetIndent("", "  ")
		return e.Encode(folders)
	}
	for _, f := range folders {
		path := printable(f.Path)
		if f.Below {
			path = printable(filepath.Join(f.Path, "...")) // as go names what is below a folder
		}
		if l, _ := d.store.Decide(f.Path); l != trust.Trusted {
			path += " (it is gone, or another folder stands there now, which is restricted)"
		}
		if _, err := fmt.Fprintln(d.stdout, path); err != nil {
			return err
		}
	}
	return nil
}

// addTrust tells what of the folder would start, and approves exactly that.
func (d decisions) add(dir string, below bool) error {
	real, err := realDir(dir)
	if err != nil {
		return exit{exitInput, err}
	}
	if below && filepath.Dir(real) == real {
		return badInput("trust add --below: %s is everything there is; name the folder that your projects are in", real)
	}
	v, looks, err := d.inventory(d.paths, d.store, real)
	if err != nil {
		return trustFailed(err)
	}
	if err := d.store.ApproveOnly(real, looks...); err != nil {
		return trustFailed(err)
	}
	add, more := d.store.Add, ""
	if below {
		add, more = d.store.AddBelow, ", with every folder below it, now and later"
	}
	if _, err := add(real); err != nil {
		return trustFailed(err)
	}
	_, err = fmt.Fprintf(d.stdout, "%s is trusted%s: the agent may run commands there, each as your rules and answers allow.\n%s", printable(real), more, v.Text(looks))
	return err
}

// trustFailed is the exit of a command about trust: a file of decisions that
// cannot be read is a mistake of configuration.
func trustFailed(err error) error {
	var broken *trust.UnreadableError
	if errors.As(err, &broken) {
		return exit{exitConfig, err}
	}
	return err
}

func (d decisions) remove(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	removed, err := d.store.Remove(dir)
	if err != nil {
		return trustFailed(err)
	}
	if !removed {
		_, err = fmt.Fprintf(d.stdout, "%s was not trusted\n", printable(dir))
		return err
	}
	if l, err := d.store.Decide(dir); err == nil && l == trust.Trusted {
		_, err = fmt.Fprintf(d.stdout, "%s was taken off the list, and is trusted all the same, for it is below a folder that was trusted with --below\n", printable(dir))
		return err
	}
	_, err = fmt.Fprintf(d.stdout, "%s is restricted: the agent may read and propose edits there, and run nothing\n", printable(dir))
	return err
}

// runTrust is how far the folders of a run are trusted, and what of them may be
// started. With the flag both hold for this process: what the folders would start
// as it begins is approved, and what becomes of it meanwhile is not.
func (p process) runTrust(paths settings.Paths, flag bool, at place, log *slog.Logger) (trusted func(string) bool, approvals agent.Approvals, err error) {
	store := trust.Open(paths.State)
	if _, err := store.Decide(at.cwd); err != nil {
		if _, broken := errors.AsType[*trust.UnreadableError](err); broken {
			return nil, nil, exit{exitConfig, err}
		}
	}
	if !flag {
		return storedTrust(store, log), store, nil
	}
	run := store.ForRun()
	for _, root := range at.roots {
		looks, unread, err := looksAt(run, root, inventory.Starts(root, p.env))
		if err != nil {
			return nil, nil, exit{exitConfig, err}
		}
		for _, u := range unread {
			p.warn("it is not started: " + u)
		}
		if err := run.Approve(root, looks...); err != nil {
			return nil, nil, err
		}
	}
	return func(string) bool { return true }, run, nil
}

// offerTrust lets the user of an editor trust a folder.
func (h hosting) offerTrust(store *trust.Store, folder string) (lsp.TrustOffer, error) {
	shown, err := os.Stat(folder)
	if err != nil {
		return lsp.TrustOffer{}, fmt.Errorf("trusting %s: %w", folder, err)
	}
	v, looks, err := h.process.inventory(h.paths, store, folder)
	if err != nil {
		return lsp.TrustOffer{}, err
	}
	still := func() error { // the question may have been open for long
		if now, err := os.Stat(folder); err != nil || !os.SameFile(shown, now) {
			return fmt.Errorf("trusting %s: another folder stands there now than the one that was shown: trust it anew", folder)
		}
		return nil
	}
	o := lsp.TrustOffer{
		Starts: len(looks) > 0,
		Add: func() error {
			if err := still(); err != nil {
				return err
			}
			if _, err := store.Add(folder); err != nil {
				return fmt.Errorf("trusting %s: %w", folder, err)
			}
			return nil
		},
		Approve: func() error {
			if err := still(); err != nil {
				return err
			}
			return store.ApproveOnly(folder, looks...)
		},
	}
	if !v.Empty() {
		o.Text = v.Text(looks)
	}
	return o, nil
}

// inventory is what a folder would start and configure, and its entries as they
// are now. Those that cannot be looked at are told as unread.
func (p process) inventory(paths settings.Paths, store agent.Approvals, dir string) (inventory.Inventory, []trust.Look, error) {
	set, _, _ := settings.Load(settings.Options{Paths: paths, Env: p.env}) // the user's own; mistakes are told elsewhere
	v, err := inventory.Scan(inventory.Options{Folder: dir, ContextNames: slices.Concat(memory.DefaultNames, set.Context.FileNames), Env: p.env, Outside: set.HooksConfig.Outside})
	if err != nil {
		return v, nil, err
	}
	looks, unread, err := looksAt(store, v.Folder, v.Starts)
	v.Unread = append(v.Unread, unread...)
	return v, looks, err
}

// looksAt looks at entries of a folder. Those that cannot be looked at are told;
// the error is that nothing can.
func looksAt(store agent.Approvals, dir string, entries []trust.Entry) (looks []trust.Look, unread []string, err error) {
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
