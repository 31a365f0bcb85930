package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent"
)

// place is where a run works.
type place struct {
	cwd     string   // absolute, links resolved
	roots   []string // cwd and further folders, likewise
	resumed string   // the session that is gone on with; empty: a new one
	note    string   // what the user should know of that; empty: nothing
}

// place finds the folders of a new session, or the session to go on with and
// the folders that it has.
func (r runFlags) place(store *agent.Store) (place, error) {
	dir := r.cwd
	if dir == "" {
		dir = "."
	}
	cwd, err := realDir(dir)
	if err != nil {
		return place{}, exit{exitInput, err}
	}
	at := place{cwd: cwd, roots: []string{cwd}}
	further := splitList(r.include)
	if r.resume == "" {
		for _, d := range further {
			if err := at.add(d); err != nil {
				return place{}, exit{exitInput, fmt.Errorf("--include-directories: %w", err)}
			}
		}
		return at, nil
	}
	info, err := findSession(store, r.resume, cwd)
	if err != nil {
		return place{}, err
	}
	stored := place{cwd: info.Cwd, roots: info.Roots, resumed: info.ID}
	if _, err := realDir(info.Cwd); err != nil {
		if stored, err = r.elsewhere(store, info, cwd); err != nil {
			return place{}, err
		}
	}
	for _, d := range further {
		if err := at.add(d); err != nil || !slices.Contains(stored.roots, at.roots[len(at.roots)-1]) {
			return place{}, badInput("--include-directories: a session keeps its folders, and %s is none of session %s; leave it out, or begin a new session", d, info.ID)
		}
	}
	return stored, nil
}

// elsewhere goes on in another folder, with a copy of a session whose own
// folder is gone, when the command line names one.
func (r runFlags) elsewhere(store *agent.Store, info agent.SessionInfo, cwd string) (place, error) {
	if r.cwd == "" {
		return place{}, badInput("session %s works in %s, which is gone: put the folder back, or name another one with --cwd to go on there with a copy", info.ID, info.Cwd)
	}
	copied, err := store.Adopt(info.ID, cwd)
	if err != nil {
		return place{}, err
	}
	note := fmt.Sprintf("session %s worked in %s, which is gone: its copy %s goes on in %s", info.ID, info.Cwd, copied.ID, cwd)
	return place{cwd: cwd, roots: []string{cwd}, resumed: copied.ID, note: note}, nil
}

// add takes in a folder, which may be relative to cwd.
func (at *place) add(dir string) error {
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(at.cwd, dir)
	}
	real, err := realDir(dir)
	if err == nil {
		at.roots = append(slices.DeleteFunc(at.roots, func(r string) bool { return r == real && r != at.cwd }), real)
	}
	return err
}

// include takes in the folders that the settings name, as far as they exist. One
// that is restricted would restrict the whole session, so it is left out of one
// that is trusted.
func (at *place) include(dirs []string, trusted func(string) bool, warn func(string)) {
	acts := !slices.ContainsFunc(at.roots, func(r string) bool { return !trusted(r) })
	for _, d := range dirs {
		with := place{cwd: at.cwd, roots: slices.Clone(at.roots)}
		if err := with.add(d); err != nil {
			warn("context.includeDirectories: " + err.Error())
			continue
		}
		added := with.roots[len(with.roots)-1]
		if slices.ContainsFunc(at.roots, func(r string) bool { return isWithin(added, r) }) {
			continue
		}
		if acts && !trusted(added) {
			warn(fmt.Sprintf("context.includeDirectories: %s is left out, because it is not trusted: `emendo trust add` it", added))
			continue
		}
		at.roots = with.roots
	}
}

// isWithin says whether a folder is another one, or inside it.
func isWithin(folder, other string) bool {
	rel, err := filepath.Rel(other, folder)
	return err == nil && filepath.IsLocal(rel)
}

// findSession is the stored session that --resume means. An id may look like a
// number; then it is the id.
func findSession(store *agent.Store, which, cwd string) (agent.SessionInfo, error) {
	n, notNumber := strconv.Atoi(which)
	if which != "latest" {
		info, _, err := store.Read(which)
		if notNumber != nil || !errors.Is(err, agent.ErrUnknownSession) {
			return info, err
		}
	}
	all, _, err := store.List(agent.Listing{Cwd: cwd})
	if err != nil {
		return agent.SessionInfo{}, err
	}
	if len(all) == 0 {
		return agent.SessionInfo{}, exit{exitInput, errors.New("there is no session of this folder to resume")}
	}
	if which == "latest" {
		return all[0], nil
	}
	slices.SortFunc(all, func(a, b agent.SessionInfo) int { return a.CreatedAt.Compare(b.CreatedAt) })
	if n < 1 || n > len(all) {
		return agent.SessionInfo{}, badInput("there is no session %d of this folder; there are 1 to %d", n, len(all))
	}
	return all[n-1], nil
}

// splitList splits a list at its commas.
func splitList(s string) []string {
	var out []string
	for e := range strings.SplitSeq(s, ",") {
		if e = strings.TrimSpace(e); e != "" {
			out = append(out, e)
		}
	}
	return out
}
