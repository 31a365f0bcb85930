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
	"github.com/emendo-dev/emendo/internal/private"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/proxy"
	"github.com/emendo-dev/emendo/internal/secret"
	"github.com/emendo-dev/emendo/internal/settings"
)

// holding says what this process's commands may reach, and holds them to it.
type holding struct {
	process process
	paths   settings.Paths
	log     *slog.Logger

	mu     sync.Mutex
	guard  *sandbox.Guard
	want   settings.Sandbox
	places map[string]*sandbox.Place // by the folders of a workspace
	temps  []string                  // folders that go with this process
}

// as has commands held as the settings say from here on.
func (h *holding) as(s settings.Sandbox) *sandbox.Guard {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.guard == nil || !reflect.DeepEqual(s, h.want) {
		h.want, h.places = s, map[string]*sandbox.Place{}
		h.guard = sandbox.NewGuard(sandbox.Options{
			Want: sandbox.Want(s.Use), Only: h.process.level, Memory: filepath.Join(h.paths.Cache, "sandbox.json"),
		})
	}
	return h.guard
}

// Survey says how commands are held now.
func (h *holding) Survey() sandbox.Survey { return h.now().Survey() }

// Known is the survey, if it can be had without trying anything.
func (h *holding) Known() (sandbox.Survey, bool) { return h.now().Known() }

func (h *holding) now() *sandbox.Guard {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.guard
}

// Start starts a command as the settings say now.
func (h *holding) Start(ctx context.Context, c sandbox.Command) (sandbox.Process, error) {
	return h.now().Start(ctx, c)
}

// offline says whether commands are held and reach nothing of the network.
func (h *holding) offline() bool {
	held := h.Survey().Level > sandbox.Open
	h.mu.Lock()
	defer h.mu.Unlock()
	return held && len(h.want.Network) == 0
}

// demand finds out at once whether commands can be held, where they must be:
// nobody who could change that is there later.
func (h *holding) demand(s settings.Sandbox) error {
	if s.Use != string(sandbox.Required) && h.process.level == "" {
		return nil
	}
	if err := h.as(s).Survey().Err; err != nil {
		return exit{exitSandbox, err}
	}
	return nil
}

// reach is what a command may reach in a workspace of these folders, with what
// was given leave for beyond that.
func (h *holding) reach(folders []string, wider sandbox.Wider) (*sandbox.Profile, error) {
	at, err := h.place(folders)
	if err != nil {
		return nil, err
	}
	p := at.Profile(wider) // it looks through the workspace: nobody else waits for that
	return &p, nil
}

// place is where the commands of such a workspace run.
func (h *holding) place(folders []string) (*sandbox.Place, error) {
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
		return nil, fmt.Errorf("make a folder for the caches of commands: %w", err)
	}
	program := git.Find(h.process.environ, folders)
	at := sandbox.NewPlace(sandbox.Place{
		Shown: shown, Blob: func(tree, hash string) ([]byte, error) {
			if !program.Found() {
				return nil, errors.New("there is no git")
			}
			return program.Run(context.Background(), tree, nil, "cat-file", "blob", hash) // it is bounded in time
		},
		Folders: folders, Home: h.process.env("HOME"), Environ: h.process.environ, Private: []string{h.paths.Config, h.paths.State, h.paths.Cache},
		Temp: temp, Cache: cache, Secret: secret.Named, Ignored: h.ignored, Allowed: h.allowed(), Network: network(h.want.Network), Outlet: h.outlet,
	})
	h.places[key] = at
	return at, nil
}

// temp makes a folder for temporary files, and takes away those of processes
// that were killed.
func (h *holding) temp() (string, error) {
	dir := filepath.Join(h.paths.Cache, "temp")
	if err := private.Folder(dir); err != nil {
		return "", fmt.Errorf("make a folder for temporary files of commands: %w", err)
	}
	old, _ := os.ReadDir(dir) // what was read counts
	for _, e := range old {
		owner, _, _ := strings.Cut(e.Name(), "-")
		if pid, err := strconv.Atoi(owner); err == nil && !runs(pid) {
			os.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
	temp, err := os.MkdirTemp(dir, strconv.Itoa(os.Getpid())+"-")
	if err != nil {
		return "", fmt.Errorf("make a folder for temporary files of commands: %w", err)
	}
	h.temps = append(h.temps, temp)
	return temp, nil
}

// close takes the folders for temporary files away. No command runs any more.
func (h *holding) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	var errs []error
	for _, t := range h.temps {
		errs = append(errs, os.RemoveAll(t))
	}
	h.temps, h.places = nil, map[string]*sandbox.Place{}
	if err := errors.Join(errs...); err != nil {
		h.log.Warn("temporary files of commands are left behind", "err", err)
	}
}

// allowed are the paths of the settings, absolute. h.mu is held.
func (h *holding) allowed() []string {
	var l []string
	for _, p := range h.want.Allowed {
		if rest, home := cutHome(p); home {
			p = filepath.Join(h.process.env("HOME"), rest)
		}
		if !filepath.IsAbs(p) {
			h.log.Warn("tools.sandboxAllowedPaths: a path that is not absolute is passed over", "path", p)
			continue
		}
		l = append(l, p)
	}
	return l
}

// cutHome is a path after the home folder, where it begins there.
func cutHome(p string) (rest string, home bool) {
	if p == "~" {
		return "", true
	}
	if len(p) > 1 && p[0] == '~' && os.IsPathSeparator(p[1]) {
		return p[2:], true
	}
	return p, false
}

// network is what the hosts of the settings come to.
func network(hosts []string) sandbox.Network {
	if slices.Contains(hosts, "*") {
		return sandbox.Network{All: true}
	}
	return sandbox.Network{Hosts: hosts}
}

// outlet leads out of a sandbox to hosts, and logs who was reached.
func (h *holding) outlet(ctx context.Context, socket *os.File, hosts []string, refused func(string)) {
	err := proxy.ServeFile(ctx, socket, proxy.Options{Hosts: hosts, Log: h.log, Told: func(r proxy.Request) {
		if r.Closed {
			refused(r.Host)
		}
		if r.Refused != "" {
			h.log.Info("a command was kept from a host", "host", r.Host, "port", r.Port, "why", r.Refused)
			return
		}
		h.log.Info("a command reaches a host", "host", r.Host, "port", r.Port)
	}})
	if err != nil {
		h.log.Error("commands have no way to the hosts that are open to them", "err", err)
	}
}

// ignored reports whether git ignores a folder, as it is when nobody can tell: in no
// repository, nothing is added to one.
func (h *holding) ignored(path string) bool {
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
	users, _ := ignore.UserExcludes(h.process.env("HOME"), h.process.env("XDG_CONFIG_HOME")) // without them more is looked at
	yes, err := ignore.Ignored(context.Background(), tree, at, true, ignore.Options{NoGemini: true, Global: users})
	return yes && err == nil
}
