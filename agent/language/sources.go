package language

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/code"
)

// passes reports whether the editor answers a method. In a restricted folder it is
// asked for problems alone.
func (s *Supply) passes(method string) bool {
	return s.editor != nil && s.editor.Passes(method) && (method == code.MethodDiagnostics || s.session.Trusted())
}

// Answers implements [code.Sources].
func (s *Supply) Answers(method string) bool {
	if s.passes(method) {
		return true
	}
	programs, _ := s.present()
	return len(programs) > 0
}

// OfEditor implements [code.Sources]. While edits are proposed, which the editor does not
// show, servers of emendo's own answer where there are some.
func (s *Supply) OfEditor(snapshot *ide.Snapshot, method, path string) bool {
	_, _, own := s.programFor(path)
	if path == "" {
		programs, _ := s.present()
		own = len(programs) > 0
	}
	pending := len(snapshot.Proposed())+len(snapshot.AllGone()) > 0
	if method == code.MethodDiagnostics && path != "" && snapshot.DocumentAt(path) == nil && own {
		return false // of a single file that it does not have open, the editor may know nothing
	}
	return s.passes(method) && (!own || !pending)
}

// editorServer is the editor as a [code.Server].
type editorServer struct {
	editor   ide.LanguageServers
	encoding ide.Encoding
}

// Encoding implements [code.Server].
func (e editorServer) Encoding() ide.Encoding { return e.encoding }

// Call implements [code.Server].
func (e editorServer) Call(ctx context.Context, method string, params, result any) error {
	return e.editor.Request(ctx, method, params, result)
}

func (s *Supply) ofEditor() editorServer {
	return editorServer{s.editor, s.session.Agent.Options.Workspace.Encoding()}
}

// Ask implements [code.Sources].
func (s *Supply) Ask(ctx context.Context, snapshot *ide.Snapshot, about code.Subject, method string, f func(context.Context, code.Server) error) error {
	if s.OfEditor(snapshot, method, about.Path) {
		return f(ctx, s.ofEditor())
	}
	p, lease, ok := s.programFor(about.Path)
	if !ok {
		return code.ErrNoServer
	}
	paths := []string{about.Path}
	if p.Partial && about.Name != "" && (method == code.MethodReferences || method == code.MethodRename) {
		users, all := p.Mentioning(ctx, snapshot, s.session.Work.Roots(), about.Name)
		if !all {
			return tools.Errorf(tools.Unhandled, "too many files mention %s for %s to find every use; use grep_search", tools.Shown(about.Name), filepath.Base(p.Name))
		}
		paths = append(users, about.Path)
	}
	return lease.Converse(ctx, p, langserver.View{Snapshot: snapshot}, paths, func(ctx context.Context, c *langserver.Conversation) error {
		if err := c.Settle(ctx, paths[:len(paths)-1]); err != nil {
			return err
		}
		return f(ctx, c)
	})
}

// AskAll implements [code.Sources]. Servers that fail are left out if another one
// answers.
func (s *Supply) AskAll(ctx context.Context, snapshot *ide.Snapshot, method string, f func(context.Context, code.Server) error) error {
	if s.OfEditor(snapshot, method, "") {
		return f(ctx, s.ofEditor())
	}
	programs, files := s.present()
	lease := s.leased()
	if len(programs) == 0 || lease == nil {
		return code.ErrNoServer
	}
	var errs []error
	for i, p := range programs {
		err := lease.Converse(ctx, p, langserver.View{Snapshot: snapshot}, files[i:i+1], func(ctx context.Context, c *langserver.Conversation) error { return f(ctx, c) })
		if err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) < len(programs) {
		return nil
	}
	return errors.Join(errs...)
}

// Diagnostics implements [code.Sources].
func (s *Supply) Diagnostics(ctx context.Context, snapshot *ide.Snapshot, path string) ([]code.Problems, error) {
	if s.OfEditor(snapshot, code.MethodDiagnostics, path) {
		return s.editorDiagnostics(ctx, path)
	}
	if path == "" {
		return s.allDiagnostics(ctx, snapshot)
	}
	p, lease, ok := s.programFor(path)
	if !ok {
		return nil, code.ErrNoServer
	}
	return s.diagnosticsOf(ctx, lease, p, snapshot, []string{path}, false)
}

func (s *Supply) editorDiagnostics(ctx context.Context, path string) ([]code.Problems, error) {
	var uris []ide.URI
	if path != "" {
		uris = []ide.URI{ide.FileURI(path)}
		if d := s.session.Agent.Options.Workspace.Snapshot().DocumentAt(path); d != nil {
			uris[0] = d.URI
		}
	}
	raw, err := s.session.Agent.Options.Editor.Diagnostics(ctx, uris)
	if err != nil {
		return nil, err
	}
	items, err := langserver.ParseReports(raw)
	if err != nil {
		return nil, err
	}
	var all []code.Problems
	for _, item := range items {
		at := ide.ParseURI(item.URI).Path()
		if at == "" {
			continue // not of a file
		}
		found := slices.DeleteFunc(item.Found, func(d langserver.Diagnostic) bool { return d.Source == "emendo" })
		all = append(all, code.Problems{Path: at, Found: found})
	}
	return all, nil
}

// allDiagnostics asks for the problems of the open files and of those that the
// session has changed. It adds what servers report of others by themselves.
func (s *Supply) allDiagnostics(ctx context.Context, snapshot *ide.Snapshot) ([]code.Problems, error) {
	programs, _ := s.present()
	lease := s.leased()
	if len(programs) == 0 || lease == nil {
		return nil, code.ErrNoServer
	}
	paths := map[string]bool{}
	for _, d := range snapshot.Documents() {
		if d.Path != "" && snapshot.Tree().Contains(d.Path) {
			paths[d.Path] = true
		}
	}
	for _, path := range s.session.ChangedFiles() {
		if p, err := snapshot.Tree().Resolve(path); err == nil {
			if _, err := snapshot.Tree().Stat(p); err == nil {
				paths[path] = true
			}
		}
	}
	var all []code.Problems
	var errs []error
	for _, p := range programs {
		var own []string
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			if p.Serves(path) {
				own = append(own, path)
			}
		}
		found, err := s.diagnosticsOf(ctx, lease, p, snapshot, own, true)
		if err != nil {
			errs = append(errs, err)
		}
		all = append(all, found...)
	}
	if len(errs) == len(programs) {
		return nil, errors.Join(errs...)
	}
	return all, nil
}

// diagnosticsOf asks one server for the problems of files, and with others adds what
// it reports by itself.
func (s *Supply) diagnosticsOf(ctx context.Context, lease *langserver.Lease, p langserver.Program, snapshot *ide.Snapshot, paths []string, others bool) ([]code.Problems, error) {
	var all []code.Problems
	err := lease.Converse(ctx, p, langserver.View{Snapshot: snapshot}, paths, func(ctx context.Context, c *langserver.Conversation) error {
		all = nil
		for _, path := range paths {
			found, err := c.Diagnostics(ctx, path)
			if err != nil {
				return err
			}
			all = append(all, code.Problems{Path: path, Found: found})
		}
		if !others {
			return nil
		}
		published := c.Published()
		for _, path := range slices.Sorted(maps.Keys(published)) {
			if !slices.Contains(paths, path) {
				all = append(all, code.Problems{Path: path, Found: published[path]})
			}
		}
		return nil
	})
	return all, err
}
