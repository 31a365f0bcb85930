// Package confinement decides what the commands of sessions may access, and sandboxes them
// by the settings. It knows neither exit statuses nor what a command is for.
package confinement

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

// Options of a [Confinement].
type Options struct {
	Env     func(string) string
	Environ []string
	Level   string // the letter of the only level to use; empty: the best
	Paths   settings.Paths
	Log     *slog.Logger
	Assumed *sandbox.Level // the level where nothing runs; nil: the machine says it
}

// A Confinement decides what commands may access, and sandboxes them.
type Confinement struct {
	o Options

	mu     sync.Mutex
	guard  *sandbox.Guard
	want   settings.Sandbox
	places map[string]*reach.Workspace // keyed by the folders of a workspace
	found  map[string]string           // by Unsafe, keyed alike; nil: nothing yet
	temps  []string                    // folders to delete at exit
	own    map[string]string           // folders for temporary files, by session
}

// New returns a confinement for which [Confinement.Use] is to be called first.
func New(o Options) *Confinement {
	return &Confinement{o: o, places: map[string]*reach.Workspace{}}
}

// Use applies new sandbox settings.
func (h *Confinement) Use(s settings.Sandbox) *sandbox.Guard {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.guard == nil || !reflect.DeepEqual(s, h.want) {
		h.want, h.places = s, map[string]*reach.Workspace{}
		h.guard = sandbox.NewGuard(sandbox.Options{
			Want: sandbox.Want(s.Use), Only: h.o.Level, Memory: filepath.Join(h.o.Paths.Cache, "sandbox.json"),
		})
	}
	return h.guard
}

// Survey returns the current sandbox level.
func (h *Confinement) Survey() sandbox.Survey {
	if h.o.Assumed != nil {
		return sandbox.Survey{Level: *h.o.Assumed}
	}
	return h.currentGuard().Survey()
}

// Known returns the survey if it is known without probing.
func (h *Confinement) Known() (sandbox.Survey, bool) {
	if h.o.Assumed != nil {
		return h.Survey(), true
	}
	return h.currentGuard().Known()
}

func (h *Confinement) currentGuard() *sandbox.Guard {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.guard
}

// Start starts a command with the current settings.
func (h *Confinement) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	return h.currentGuard().Start(ctx, c)
}

// Sandboxes reports whether commands are sandboxed.
func (h *Confinement) Sandboxes() bool { return h.Survey().Level > sandbox.Open }

// Demand returns an error if the settings require a sandbox and there is none. A
// run checks this at the start, because no user is available later.
func (h *Confinement) Demand(s settings.Sandbox) error {
	if s.Use != string(sandbox.Required) && h.o.Level == "" {
		return nil
	}
	return h.Use(s).Survey().Err
}

// Reach returns the profile of a command in a workspace of these folders, with
// additional approved access.
func (h *Confinement) Reach(folders []string, extra reach.Extra) (*reach.Profile, error) {
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

// Shown reports whether commands in a workspace of these folders may read an absolute path
// outside it.
func (h *Confinement) Shown(folders []string, path string) bool {
	profile, err := h.Reach(folders, reach.Extra{})
	return err == nil && profile.Shows(path)
}

// Reached reports whether commands reach a host without an answer of the user's; "*" is the
// whole network.
func (h *Confinement) Reached(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	open := network(h.want.Network)
	return open.All || proxy.Allows(open.Hosts, host)
}

// Unsafe returns why no command runs unasked in a workspace of these folders; empty if that
// is not so. It follows some hundred links, so what was found last is kept for recent.
func (h *Confinement) Unsafe(folders []string, recent bool) string {
	key := strings.Join(folders, "\x00")
	h.mu.Lock()
	why, found := h.found[key]
	h.mu.Unlock()
	if recent && found {
		return why
	}
	why = reach.Neighbourhood{
		Home: h.o.Env("HOME"), Own: []string{h.o.Paths.Config, h.o.Paths.State, h.o.Paths.Cache}, Environ: h.o.Environ,
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
func (h *Confinement) place(folders []string) (*reach.Workspace, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := strings.Join(folders, "\x00")
	if at := h.places[key]; at != nil {
		return at, nil
	}
	temp, err := h.makeTemp()
	if err != nil {
		return nil, err
	}
	shown, err := h.makeTemp()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256([]byte(folders[0]))
	cache := filepath.Join(h.o.Paths.Cache, "workspaces", hex.EncodeToString(sum[:8]))
	if err := private.Folder(cache); err != nil {
		return nil, fmt.Errorf("create a folder for the caches of commands: %w", err)
	}
	program := git.Find(h.o.Environ, folders)
	at := reach.New(reach.Options{
		Shown: shown, Blob: func(tree, hash string) ([]byte, error) {
			if !program.Found() {
				return nil, errors.New("git is not installed")
			}
			return program.Run(context.Background(), tree, nil, "cat-file", "blob", hash) // has a time limit
		},
		Folders: folders, Home: h.o.Env("HOME"), Environ: h.o.Environ, Private: []string{h.o.Paths.Config, h.o.Paths.State, h.o.Paths.Cache},
		Temp: temp, Cache: cache, Secret: secret.Named, Ignored: h.ignored, Mine: disk.Made, Allowed: h.allowed(), Network: network(h.want.Network), Outlet: h.outlet,
	})
	h.places[key] = at
	return at, nil
}

// makeTemp creates a folder for temporary files, and deletes those left by killed
// processes.
func (h *Confinement) makeTemp() (string, error) {
	dir := filepath.Join(h.o.Paths.Cache, "temp")
	if err := private.Folder(dir); err != nil {
		return "", fmt.Errorf("create a folder for temporary files of commands: %w", err)
	}
	old, _ := os.ReadDir(dir) // best effort
	for _, e := range old {
		owner, _, _ := strings.Cut(e.Name(), "-")
		if pid, err := strconv.Atoi(owner); err == nil && !isRunning(pid) {
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
func (h *Confinement) sessionTemp(session string) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if dir := h.own[session]; dir != "" {
		return dir, nil
	}
	dir, err := h.makeTemp()
	if err != nil {
		return "", err
	}
	if h.own == nil {
		h.own = map[string]string{}
	}
	h.own[session] = dir
	return dir, nil
}

// Ended deletes what the commands of a session have left in their folder for temporary files.
func (h *Confinement) Ended(session string) {
	h.mu.Lock()
	dir := h.own[session]
	delete(h.own, session)
	h.temps = slices.DeleteFunc(h.temps, func(t string) bool { return t == dir })
	h.mu.Unlock()
	if dir == "" {
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		h.o.Log.Warn("could not delete temporary files of commands", "err", err)
	}
}

// machineTemp are the folders for temporary files that commands at level A have of their own.
var machineTemp = []string{"/tmp", "/var/tmp"}

// Temporary implements [gate.Confinement].
func (h *Confinement) Temporary(session, path string) (at string, is bool) {
	level := h.Survey().Level
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

// Copies creates a private folder for copies of files.
func (h *Confinement) Copies() (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.makeTemp()
}

// Close deletes the folders for temporary files, and those that were made for commands, once no
// command runs.
func (h *Confinement) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, t := range h.temps {
		errs = append(errs, os.RemoveAll(t))
	}
	for _, at := range h.places {
		at.RemoveMade()
	}
	h.temps, h.own, h.places = nil, nil, map[string]*reach.Workspace{}
	if err := errors.Join(errs...); err != nil {
		h.o.Log.Warn("could not delete temporary files of commands", "err", err)
	}
}

// allowed returns the allowed paths of the settings, absolute. The caller holds
// h.mu.
func (h *Confinement) allowed() []string {
	var l []string
	for _, p := range h.want.Allowed {
		if rest, home := cutHome(p); home {
			p = filepath.Join(h.o.Env("HOME"), rest)
		}
		if !filepath.IsAbs(p) {
			h.o.Log.Warn("tools.sandboxAllowedPaths: ignoring a path that is not absolute", "path", p)
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
func (h *Confinement) outlet(ctx context.Context, w sandbox.WayOut, met *reach.Met) {
	if err := proxy.ServeOutlet(ctx, w, met, h.o.Log); err != nil {
		h.o.Log.Error("commands cannot reach the allowed hosts", "err", err)
	}
}

// ignored reports whether git ignores a folder. It returns true outside a
// repository, because nothing can be committed there.
func (h *Confinement) ignored(path string) bool {
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
	users, _ := ignore.UserExcludes(h.o.Env("HOME"), h.o.Env("XDG_CONFIG_HOME")) // without them fewer files are ignored
	yes, err := ignore.Ignored(context.Background(), tree, at, true, ignore.Options{NoGemini: true, Global: users})
	return yes && err == nil
}
