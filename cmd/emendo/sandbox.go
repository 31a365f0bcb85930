package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/internal/git"
	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/proxy"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/tools/reach"
)

// confinement decides what commands may access, and sandboxes them.
type confinement struct {
	process process
	paths   settings.Paths
	log     *slog.Logger
	assumed func() sandbox.Level // overrides the level where nothing runs; may be nil

	mu     sync.Mutex
	guard  *sandbox.Guard
	want   settings.Sandbox
	places map[string]*reach.Workspace // keyed by the folders of a workspace
	found  map[string]string           // by unsafe, keyed alike; nil: nothing yet
	temps  []string                    // folders to delete at exit
	own    map[string]string           // folders for temporary files, by session
}

// as applies new sandbox settings.
func (h *confinement) as(s settings.Sandbox) *sandbox.Guard {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.guard == nil || !reflect.DeepEqual(s, h.want) {
		h.want, h.places = s, map[string]*reach.Workspace{}
		h.guard = sandbox.NewGuard(sandbox.Options{
			Want: sandbox.Want(s.Use), Only: h.process.level, Memory: filepath.Join(h.paths.Cache, "sandbox.json"),
		})
	}
	return h.guard
}

// Survey returns the current sandbox level.
func (h *confinement) Survey() sandbox.Survey { return h.now().Survey() }

// Known returns the survey if it is known without probing.
func (h *confinement) Known() (sandbox.Survey, bool) { return h.now().Known() }

func (h *confinement) now() *sandbox.Guard {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.guard
}

// Start starts a command with the current settings.
func (h *confinement) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	return h.now().Start(ctx, c)
}

// sandboxes reports whether commands are sandboxed.
func (h *confinement) sandboxes() bool { return h.Survey().Level > sandbox.Open }

// demand returns an error if the settings require a sandbox and there is none. A
// run checks this at the start, because no user is available later.
func (h *confinement) demand(s settings.Sandbox) error {
	if s.Use != string(sandbox.Required) && h.process.level == "" {
		return nil
	}
	if err := h.as(s).Survey().Err; err != nil {
		return exit{exitSandbox, err}
	}
	return nil
}

// reach returns the profile of a command in a workspace of these folders, with
// additional approved access.
func (h *confinement) reach(folders []string, extra reach.Extra) (*reach.Profile, error) {
	at, err := h.place(folders)
	if err != nil {
		return nil, err
	}
	if extra.Session != "" && extra.Temp == "" {
		if extra.Temp, err = h.sessionTemp(extra.Session); err != nil {
			return nil, err
		}
	}
	return at.Profile(extra), nil // walks the workspace, so not under the lock
}

// shown reports whether commands in a workspace of these folders may read an absolute path
// outside it.
func (h *confinement) shown(folders []string, path string) bool {
	profile, err := h.reach(folders, reach.Extra{})
	return err == nil && profile.Shows(path)
}

// reached reports whether commands reach a host without an answer of the user's; "*" is the
// whole network.
func (h *confinement) reached(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	open := network(h.want.Network)
	return open.All || proxy.Allows(open.Hosts, host)
}

// unsafe returns why no command runs unasked in a workspace of these folders; empty if that
// is not so. It follows some hundred links, so what was found last is kept for recent.
func (h *confinement) unsafe(folders []string, recent bool) string {
	key := strings.Join(folders, "\x00")
	h.mu.Lock()
	why, found := h.found[key]
	h.mu.Unlock()
	if recent && found {
		return why
	}
	why = reach.Neighbourhood{
		Home: h.process.env("HOME"), Own: []string{h.paths.Config, h.paths.State, h.paths.Cache}, Environ: h.process.environ,
	}.Unsafe(folders)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.found == nil {
		h.found = map[string]string{}
	}
	h.found[key] = why
	return why
}

// place returns the workspace that commands run in.
func (h *confinement) place(folders []string) (*reach.Workspace, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := strings.Join(folders, "\x00")
	if at := h.places[key]; at != nil {
		return at, nil
	}
	temp, err := h.temp()
	if err != nil {
		return nil, err
	}
	shown, err := h.temp()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(folders[0]))
	cache := filepath.Join(h.paths.Cache, "workspaces", hex.EncodeToString(sum[:8]))
	if err := private.Folder(cache); err != nil {
		return nil, fmt.Errorf("create a folder for the caches of commands: %w", err)
	}
	program := git.Find(h.process.environ, folders)
	at := reach.New(reach.Options{
		Shown: shown, Blob: func(tree, hash string) ([]byte, error) {
			if !program.Found() {
				return nil, errors.New("git is not installed")
			}
			return program.Run(context.Background(), tree, nil, "cat-file", "blob", hash) // has a time limit
		},
		Folders: folders, Home: h.process.env("HOME"), Environ: h.process.environ, Private: []string{h.paths.Config, h.paths.State, h.paths.Cache},
		Temp: temp, Cache: cache, Secret: secret.Named, Ignored: h.ignored, Mine: disk.Made, Allowed: h.allowed(), Network: network(h.want.Network), Outlet: h.outlet,
	})
	h.places[key] = at
	return at, nil
}

// temp creates a folder for temporary files, and deletes those left by killed
// processes.
func (h *confinement) temp() (string, error) {
	dir := filepath.Join(h.paths.Cache, "temp")
	if err := private.Folder(dir); err != nil {
		return "", fmt.Errorf("create a folder for temporary files of commands: %w", err)
	}
	old, _ := os.ReadDir(dir) // best effort
	for _, e := range old {
		owner, _, _ := strings.Cut(e.Name(), "-")
		if pid, err := strconv.Atoi(owner); err == nil && !runs(pid) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	temp, err := os.MkdirTemp(dir, strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("create a folder for temporary files of commands: %w", err)
	}
	h.temps = append(h.temps, temp)
	return temp, nil
}

// sessionTemp returns the folder for temporary files of a session's commands, which lasts until
// the session ends.
func (h *confinement) sessionTemp(session string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if dir := h.own[session]; dir != "" {
		return dir, nil
	}
	dir, err := h.temp()
	if err != nil {
		return "", err
	}
	if h.own == nil {
		h.own = map[string]string{}
	}
	h.own[session] = dir
	return dir, nil
}

// ended deletes what the commands of a session have left in their folder for temporary files.
func (h *confinement) ended(session string) {
	h.mu.Lock()
	dir := h.own[session]
	delete(h.own, session)
	h.temps = slices.DeleteFunc(h.temps, func(t string) bool { return t == dir })
	h.mu.Unlock()
	if dir == "" {
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		h.log.Warn("could not delete temporary files of commands", "err", err)
	}
}

// machineTemp are the folders for temporary files that commands at level A have of their own.
var machineTemp = []string{"/tmp", "/var/tmp"}

// level returns the level at which commands are confined, or as if they were.
func (h *confinement) level() sandbox.Level {
	if h.assumed != nil {
		return h.assumed()
	}
	return h.Survey().Level
}

// temporary implements [gate.Commands.Temp].
func (h *confinement) temporary(session, path string) (at string, is bool) {
	level := h.level()
	if level == sandbox.Open {
		return "", false
	}
	dir, err := h.sessionTemp(session)
	if err != nil {
		return "", false // the command will not start
	}
	if paths.Within(path, dir) {
		return path, true
	}
	for _, t := range machineTemp {
		if rel, in := paths.CutFolder(path, t); in && level == sandbox.Isolated {
			return filepath.Join(dir, rel), true
		}
	}
	return "", false
}

// copies creates a private folder for copies of files.
func (h *confinement) copies() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.temp()
}

// close deletes the folders for temporary files, and those that were made for commands, once no
// command runs.
func (h *confinement) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, t := range h.temps {
		errs = append(errs, os.RemoveAll(t))
	}
	for _, at := range h.places {
		at.Tidy()
	}
	h.temps, h.own, h.places = nil, nil, map[string]*reach.Workspace{}
	if err := errors.Join(errs...); err != nil {
		h.log.Warn("could not delete temporary files of commands", "err", err)
	}
}

// allowed returns the allowed paths of the settings, absolute. The caller holds
// h.mu.
func (h *confinement) allowed() []string {
	var l []string
	for _, p := range h.want.Allowed {
		if rest, home := cutHome(p); home {
			p = filepath.Join(h.process.env("HOME"), rest)
		}
		if !filepath.IsAbs(p) {
			h.log.Warn("tools.sandboxAllowedPaths: ignoring a path that is not absolute", "path", p)
			continue
		}
		l = append(l, p)
	}
	return l
}

// cutHome returns the rest of a path that begins with ~.
func cutHome(p string) (rest string, home bool) {
	if p == "~" {
		return "", true
	}
	if len(p) > 1 && p[0] == '~' && os.IsPathSeparator(p[1]) {
		return p[2:], true
	}
	return p, false
}

// network returns the network access to the hosts of the settings.
func network(hosts []string) sandbox.Network {
	if slices.Contains(hosts, "*") {
		return sandbox.Network{All: true}
	}
	return sandbox.Network{Hosts: slices.DeleteFunc(slices.Clone(hosts), settings.Own)}
}

// outlet serves the way out of a sandbox, and logs its connections.
func (h *confinement) outlet(ctx context.Context, w sandbox.WayOut, met *reach.Met) {
	if err := proxy.ServeOutlet(ctx, w, met, h.log); err != nil {
		h.log.Error("commands cannot reach the allowed hosts", "err", err)
	}
}

// ignored reports whether git ignores a folder. It returns true outside a
// repository, because nothing can be committed there.
func (h *confinement) ignored(path string) bool {
	r, ok := gitdir.Around(filepath.Dir(path), "")
	if !ok {
		return true
	}
	rel, err := filepath.Rel(r.Tree, path)
	if err != nil {
		return false
	}
	tree, err := disk.NewTree([]string{r.Tree})
	if err != nil {
		return false
	}
	defer tree.Close()
	at := disk.Path{Abs: path, Root: r.Tree, Rel: filepath.ToSlash(rel)}
	users, _ := ignore.UserExcludes(h.process.env("HOME"), h.process.env("XDG_CONFIG_HOME")) // without them fewer files are ignored
	yes, err := ignore.Ignored(context.Background(), tree, at, true, ignore.Options{NoGemini: true, Global: users})
	return yes && err == nil
}
