package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/inventory"
	"github.com/emendo-dev/emendo/agent/memory"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/lsp"
)

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
