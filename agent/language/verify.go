package language

import (
	"context"
	"errors"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/langserver"
)

// Expect implements [state.Checker]: it starts the server that would check the file.
func (s *Supply) Expect(path string) {
	if !s.session.Agent.Settings().Edits.Verify || s.session.Info().Mode == policy.Plan {
		return
	}
	if p, lease, ok := s.programFor(path); ok && s.session.Work.Tree().Contains(path) {
		lease.StartEarly(p)
	}
}

// Verify implements [state.Checker]: servers of emendo's own read the text before and
// after the edit. The editor and the disk see none of it.
func (s *Supply) Verify(ctx context.Context, files []ledger.Proposed) map[string]state.Verified {
	set := s.session.Agent.Settings().Edits
	found := map[string]state.Verified{}
	if !set.Verify {
		return found
	}
	type job struct {
		program langserver.Program
		lease   *langserver.Lease
		files   []ledger.Proposed
	}
	jobs := map[string]*job{}
	for _, f := range files {
		p, lease, ok := s.programFor(f.Path)
		if f.Path == "" || !ok || !s.session.Work.Tree().Contains(f.Path) {
			continue
		}
		if jobs[p.Name] == nil {
			jobs[p.Name] = &job{program: p, lease: lease}
		}
		jobs[p.Name].files = append(jobs[p.Name].files, f)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(set.VerifyTimeout)*time.Millisecond)
	defer cancel()
	var mu sync.Mutex
	var running sync.WaitGroup
	for _, j := range jobs {
		running.Go(func() {
			results := s.check(ctx, j.lease, j.program, j.files)
			mu.Lock()
			defer mu.Unlock()
			for i, f := range j.files {
				found[f.Name()] = results[i]
			}
		})
	}
	running.Wait()
	return found
}

// unverified notes in all results why the files were not checked.
func unverified(results []state.Verified, reason string) {
	for i := range results {
		results[i] = state.Verified{State: ledger.Unverified, Reason: reason}
	}
}

// check has one server compare the errors of files before and after their edits.
func (s *Supply) check(ctx context.Context, lease *langserver.Lease, p langserver.Program, files []ledger.Proposed) (results []state.Verified) {
	results = make([]state.Verified, len(files))
	defer func() { // a bug costs the check and not the edit
		if x := recover(); x != nil {
			s.session.Agent.Log.Error("the check of an edit panicked", "program", p.Name, "panic", x, "stack", string(debug.Stack()))
			unverified(results, "internal error; see the log")
		}
	}()
	snapshot := s.session.Snapshot(ctx)
	if p.FromDisk && (len(files) > 1 || others(p, snapshot, files)) {
		unverified(results, p.Name+" reads what a file includes from the disk, so it cannot check an edit of several files")
		return results
	}
	before, after := map[string]string{}, map[string]string{}
	for _, f := range files {
		if f.Op == ledger.Modify {
			before[f.Path] = f.Base.Text.String()
		}
		after[f.Path] = f.New
	}
	view := langserver.View{Snapshot: snapshot, Texts: before}
	err := lease.Converse(ctx, p, view, nil, func(ctx context.Context, c *langserver.Conversation) error {
		old := make([][]langserver.Diagnostic, len(files))
		for i, f := range files {
			var err error
			if f.Op == ledger.Modify {
				if old[i], err = errorsOf(ctx, c, f.Path); err != nil {
					return err
				}
			}
		}
		if err := c.SetTexts(ctx, after); err != nil {
			return err
		}
		for i, f := range files {
			now, err := errorsOf(ctx, c, f.Path)
			if err != nil {
				return err
			}
			introduced, resolved := compare(before[f.Path], f.New, old[i], now)
			results[i] = state.Verified{State: ledger.Verified, Resolved: resolved}
			if len(introduced) > 0 {
				results[i].State = ledger.Problems
				results[i].Problems = s.newProblems(f.New, introduced, langserver.OfSyntax(now), c.Encoding())
			}
		}
		if err := s.format(ctx, c, files, before, results); err != nil { // the check is done
			s.session.Agent.Log.Debug("an edit was not formatted", "session", s.session.SessionID, "program", p.Name, "err", err)
		}
		return nil
	})
	if err != nil {
		s.session.Agent.Log.Debug("an edit was not verified", "session", s.session.SessionID, "program", p.Name, "err", err)
		unverified(results, reason(p, err))
	}
	return results
}

// others reports whether a snapshot has proposed edits of files of a program beside those.
func others(p langserver.Program, snapshot *ide.Snapshot, files []ledger.Proposed) bool {
	return slices.ContainsFunc(snapshot.Proposed(), func(d *ide.Document) bool {
		return d.Path != "" && p.Serves(d.Path) && !slices.ContainsFunc(files, func(f ledger.Proposed) bool { return f.Path == d.Path })
	})
}

// newProblems returns problems of a text as they are shown. Those that are also in ofSyntax
// are of syntax. The encoding is the server's.
func (s *Supply) newProblems(text string, found, ofSyntax []langserver.Diagnostic, enc ide.Encoding) []state.NewProblem {
	t := ide.NewText(text)
	l := make([]state.NewProblem, len(found))
	for i, d := range found {
		l[i] = state.NewProblem{Problem: ledger.Problem{Range: d.Range, Message: d.Message}, Syntax: slices.Contains(ofSyntax, d)}
		if a, b, err := t.Offsets(d.Range, enc); err == nil {
			l[i].Range = t.Range(a, b, s.session.Agent.Options.Workspace.Encoding())
		}
	}
	return l
}

// format formats the new texts of files that were formatted before their edits, so that
// an editor that formats on saving changes nothing. The server has the new texts.
func (s *Supply) format(ctx context.Context, c *langserver.Conversation, files []ledger.Proposed, before map[string]string, results []state.Verified) error {
	if !c.Formats() {
		return nil
	}
	texts := make([]string, len(files))
	changed := false
	for i, f := range files {
		if f.Op != ledger.Modify || slices.ContainsFunc(results[i].Problems, func(p state.NewProblem) bool { return p.Syntax }) {
			continue
		}
		var err error
		if texts[i], err = c.Format(ctx, f.Path); err != nil {
			return err
		}
		changed = changed || texts[i] != f.New
	}
	if !changed {
		return nil
	}
	if err := c.SetTexts(ctx, before); err != nil {
		return err
	}
	for i, f := range files {
		if texts[i] == "" || texts[i] == f.New {
			continue
		}
		old, err := c.Format(ctx, f.Path)
		if err != nil {
			return err
		}
		if old == before[f.Path] {
			results[i].Formatted = texts[i]
		}
	}
	return nil
}

// reason says why a check has failed.
func reason(p langserver.Program, err error) string {
	name := filepath.Base(p.Name)
	switch {
	case errors.Is(err, langserver.ErrStarting):
		return name + " is still starting"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return name + " did not answer in time"
	case errors.Is(err, langserver.ErrNoDiagnostics):
		return name + " does not report for which text a problem is"
	}
	return name + " failed"
}

// errorsOf returns the problems of a file that are errors.
func errorsOf(ctx context.Context, c *langserver.Conversation, path string) ([]langserver.Diagnostic, error) {
	all, err := c.Diagnostics(ctx, path)
	var l []langserver.Diagnostic
	for _, d := range all {
		if d.Severity == langserver.Error {
			l = append(l, d)
		}
	}
	return l, err
}
