package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/cmd/emendo/demo"
	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/lsp"
)

// demo plays a complete task without a key or network access, and deletes its
// files.
func (p process) demo(ctx context.Context, _ []string) (err error) {
	home, err := os.MkdirTemp("", "emendo-demo-")
	if err != nil {
		return fmt.Errorf("create the demo's folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	if home, err = filepath.EvalSymlinks(home); err != nil {
		return fmt.Errorf("find the demo's folder: %w", err)
	}
	dir := filepath.Join(home, "parking")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return fmt.Errorf("create the demo's folder: %w", err)
	}

	p.environ = demoEnvironment(p.environ, home)
	p.env = lookup(p.environ)
	o := demo.Options{Dir: dir, Command: "go test ./...", Out: p.stdout, Serve: p.serveDemo}
	if _, err := exec.LookPath("go"); err != nil {
		o.Command = "wc -l fee.go fee_test.go"
		fmt.Fprintln(p.stdout, "\n  Go is not on PATH, so the demo counts lines instead of running go test.")
	}
	if f, ok := p.stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		o.Paced = true
		o.Colour = p.env("NO_COLOR") == "" && p.env("TERM") != "dumb"
	}
	err = demo.Play(ctx, o)
	var s signalled
	if errors.As(context.Cause(ctx), &s) {
		return exit{code: s.exitStatus()}
	}
	return err
}

// serveDemo runs the language server as an editor does, with the demo's model.
func (p process) serveDemo(ctx context.Context, r io.Reader, w io.Writer, g model.Generator) error {
	paths, err := p.folders()
	if err != nil {
		return err
	}
	log := p.logger()
	// Sandboxed commands use emendo's own caches, which are empty in a new home, so
	// that Go would spend a minute building its standard library.
	flags := map[string]any{"tools.sandbox": string(sandbox.Off)}
	h := wiring{process: p, paths: paths, log: log, flags: flags, generator: func(name string) (model.Generator, string, error) { return g, name, nil }}
	return lsp.Serve(ctx, r, w, lsp.Options{Version: version, Models: p.offered(), Log: log, Start: h.startLSP})
}

// demoEnvironment returns the user's environment with a separate home for emendo.
// It keeps Go from downloading anything and from building more than necessary,
// because the cache may be empty.
func demoEnvironment(environ []string, home string) []string {
	ours := []string{"EMENDO_HOME=" + filepath.Join(home, "emendo"), "GOPROXY=off", "GOFLAGS=-mod=mod -vet=off", "GOTOOLCHAIN=local", "GOWORK=off"}
	if lookup(environ)("GOCACHE") == "" {
		cache := filepath.Join(home, "go-build") // the user has none, so it starts empty
		if dir, err := os.UserCacheDir(); err == nil && paths.IsFolder(filepath.Join(dir, "go-build")) {
			cache = filepath.Join(dir, "go-build")
		}
		ours = append(ours, "GOCACHE="+cache)
	}
	return append(slices.Clone(environ), ours...)
}

// lookup returns a function that looks up a variable; the last value of a name
// wins.
func lookup(environ []string) func(string) string {
	return func(name string) string {
		value := ""
		for _, v := range environ {
			if n, x, _ := strings.Cut(v, "="); n == name {
				value = x
			}
		}
		return value
	}
}
