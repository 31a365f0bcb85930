package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/agent/geminichat"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/visible"
)

// importFiles imports session files of Gemini CLI. It continues after a file that
// cannot be imported.
func (s stored) importFiles(files []string) error {
	cwd, err := realDir(".")
	if err != nil {
		return exit{exitInput, err}
	}
	var failures []error
	for _, f := range files {
		if err := s.importFile(f, cwd); err != nil {
			failures = append(failures, fmt.Errorf("import %s: %w", f, err))
		}
	}
	for _, err := range failures[:max(len(failures)-1, 0)] {
		s.process.warn(err.Error())
	}
	if len(failures) > 0 {
		return exit{exitFailure, failures[len(failures)-1]}
	}
	return nil
}

func (s stored) importFile(file, cwd string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	c, err := geminichat.Read(b)
	if err != nil {
		return err
	}
	info, added, err := s.store.Import(c, transcript.Import{Cwd: projectOf(c, file, cwd), Model: settings.Defaults().Model.Name, Now: time.Now()})
	if err != nil {
		return err
	}
	what := "imported"
	if !added {
		what = "already imported"
	}
	fmt.Fprintf(s.process.stdout, "%s  %s  %s\n", info.ID, what, visible.OneLine(printable(cmp.Or(info.Title, info.Cwd))))
	return nil
}

// projectOf returns the folder of a conversation if it can be determined: the file
// has a hash of it, and a file next to it may name it. Otherwise it returns cwd.
func projectOf(c geminichat.Chat, file, cwd string) string {
	candidates := append([]string{}, c.Directories...)
	marker, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", ".project_root"))
	if err == nil {
		candidates = append([]string{strings.TrimSpace(string(marker))}, candidates...)
	}
	known := len(candidates)
	for d := cwd; ; d = filepath.Dir(d) {
		candidates = append(candidates, d)
		if d == filepath.Dir(d) {
			break
		}
	}
	for _, d := range candidates {
		sum := sha256.Sum256([]byte(d))
		if real, err := realDir(d); err == nil && filepath.IsAbs(d) && hex.EncodeToString(sum[:]) == c.ProjectHash {
			return real
		}
	}
	for _, d := range candidates[:known] {
		if real, err := realDir(d); err == nil && filepath.IsAbs(d) {
			return real
		}
	}
	return cwd
}
