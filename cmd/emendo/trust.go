package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/emendo-dev/emendo/internal/trust"
)

const trustUsage = "add|remove|list [PATH]"

// trust changes and lists the folders that may act.
func (p process) trust(_ context.Context, args []string) error {
	rest, err := p.parse(newFlags("trust"), trustUsage, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 {
		return badInput("trust: say what to do: %s", trustUsage)
	}
	paths, err := p.folders()
	if err != nil {
		return err
	}
	store := trust.Open(paths.State)
	verb, rest := rest[0], rest[1:]
	if verb == "list" {
		if len(rest) > 0 {
			return badInput("trust list takes no path, but there is %q", rest[0])
		}
		return p.listTrust(store)
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
		return p.addTrust(store, dir)
	case "remove":
		return p.removeTrust(store, dir)
	}
	return badInput("trust: there is no %q; there are add, remove and list", verb)
}

func (p process) listTrust(store *trust.Store) error {
	folders, err := store.List()
	if err != nil {
		return exit{exitConfig, err}
	}
	for _, f := range folders {
		fmt.Fprintln(p.stdout, printable(f))
	}
	return nil
}

func (p process) addTrust(store *trust.Store, dir string) error {
	if _, err := realDir(dir); err != nil {
		return exit{exitInput, err}
	}
	path, err := store.Add(dir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s is trusted: the agent may run commands there, each with your approval. Nothing of the folder starts by itself.\n", printable(path))
	return err
}

func (p process) removeTrust(store *trust.Store, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	removed, err := store.Remove(dir)
	if err != nil {
		return err
	}
	if !removed {
		_, err = fmt.Fprintf(p.stdout, "%s was not trusted\n", printable(dir))
		return err
	}
	_, err = fmt.Fprintf(p.stdout, "%s is restricted: the agent may read and propose edits there, and run nothing\n", printable(dir))
	return err
}
