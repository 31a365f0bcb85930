package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/internal/paths"
)

// place holds the folders of a run.
type place struct {
	cwd     string   // absolute, links resolved
	roots   []string // cwd and other folders, absolute, links resolved
	resumed string   // the session to resume; empty: a new one
	note    string   // a note for the user about resuming; may be empty
}

// place returns the folders of a new session, or the session to resume and its
// folders.
func (r runFlags) place(store *transcript.Store) (place, error) {
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
			return place{}, cli.BadInput("--include-directories: %s is not a folder of session %s, and a session's folders cannot change; omit it, or start a new session", d, info.ID)
		}
	}
	return stored, nil
}

// elsewhere copies a session whose folder is gone to the folder of --cwd.
func (r runFlags) elsewhere(store *transcript.Store, info transcript.SessionInfo, cwd string) (place, error) {
	if r.cwd == "" {
		return place{}, cli.BadInput("the folder of session %s, %s, no longer exists: restore it, or continue with a copy of the session in another folder with --cwd", info.ID, info.Cwd)
	}
	copied, err := store.Adopt(info.ID, cwd)
	if err != nil {
		return place{}, err
	}
	note := fmt.Sprintf("the folder of session %s, %s, no longer exists: continuing with its copy %s in %s", info.ID, info.Cwd, copied.ID, cwd)
	return place{cwd: cwd, roots: []string{cwd}, resumed: copied.ID, note: note}, nil
}

// add adds a folder, which may be relative to cwd.
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

// include adds the existing folders of the settings. A trusted session skips
// restricted ones, because one of them would restrict the whole session.
func (at *place) include(dirs []string, trusted func(string) bool, warn func(string)) {
	acts := !slices.ContainsFunc(at.roots, func(r string) bool { return !trusted(r) })
	for _, d := range dirs {
		with := place{cwd: at.cwd, roots: slices.Clone(at.roots)}
		if err := with.add(d); err != nil {
			warn("context.includeDirectories: " + err.Error())
			continue
		}
		added := with.roots[len(with.roots)-1]
		if slices.ContainsFunc(at.roots, func(r string) bool { return paths.Within(added, r) }) {
			continue
		}
		if acts && !trusted(added) {
			warn(fmt.Sprintf("context.includeDirectories: ignoring %s because it is not trusted; run `emendo trust add` on it", added))
			continue
		}
		at.roots = with.roots
	}
}

// findSession returns the stored session for --resume. A session ID takes
// precedence over an index.
func findSession(store *transcript.Store, which, cwd string) (transcript.SessionInfo, error) {
	n, notNumber := strconv.Atoi(which)
	if which != "latest" {
		info, _, err := store.Read(which)
		if notNumber != nil || !errors.Is(err, transcript.ErrUnknownSession) {
			return info, err
		}
	}
	all, _, err := store.List(transcript.Listing{Cwd: cwd})
	if err != nil {
		return transcript.SessionInfo{}, err
	}
	if len(all) == 0 {
		return transcript.SessionInfo{}, exit{exitInput, errors.New("there are no sessions in this folder to resume")}
	}
	if which == "latest" {
		return all[0], nil
	}
	slices.SortFunc(all, func(a, b transcript.SessionInfo) int { return a.CreatedAt.Compare(b.CreatedAt) })
	if n < 1 || n > len(all) {
		return transcript.SessionInfo{}, cli.BadInput("this folder has no session %d; it has 1 to %d", n, len(all))
	}
	return all[n-1], nil
}

// splitList splits a comma-separated list.
func splitList(s string) []string {
	var out []string
	for e := range strings.SplitSeq(s, ",") {
		if e = strings.TrimSpace(e); e != "" {
			out = append(out, e)
		}
	}
	return out
}
