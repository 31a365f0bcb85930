package code

import (
	"cmp"
	"context"
	"slices"

	"github.com/emendo-dev/emendo/internal/langserver"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

type getDiagnosticsArgs struct {
	FilePath string `json:"file_path,omitempty" jsonschema:"Default: all files with known problems."`
}

var getDiagnosticsParams = tools.NewParams[getDiagnosticsArgs]()

var diagnosticsSpec = tools.Spec{
	Name: "get_diagnostics", Display: "Diagnostics", Kind: tools.Read, Synonyms: fileSynonyms,
	Similar: []string{"diagnostics", "readlints"},
}

func (s asking) diagnostics(ctx context.Context, whole tools.Env, args getDiagnosticsArgs) (tools.Action, error) {
	a := tools.Action{Title: "Diagnostics of all files", Effect: tools.Reads{}}
	path := ""
	env, note := seeing(whole, s.from, MethodDiagnostics, "")
	if args.FilePath != "" {
		f, err := open(ctx, whole, s.from, MethodDiagnostics, args.FilePath)
		if err != nil {
			return tools.Action{}, err
		}
		path, env, note = f.Abs, f.env, f.note
		a = tools.Action{Title: "Diagnostics of " + f.name, Effect: f.reads(), Locations: []tools.Location{{Path: path}}}
	}
	a.Run = func(ctx context.Context, _ func(tools.Progress)) tools.Result {
		ctx, cancel := context.WithTimeout(ctx, askTime)
		defer cancel()
		all, err := s.from.Diagnostics(ctx, env.Snapshot, path)
		if err != nil {
			return failure(ctx, err)
		}
		l := listing{env: env}
		for _, p := range all {
			if !env.Snapshot.Tree().Contains(p.Path) || env.Snapshot.Gone(p.Path) {
				continue
			}
			for _, d := range serious(p.Found) {
				l.add(ctx, place{path: p.Path, uri: p.Path, line: int(d.Range.Start.Line), note: describe(d)})
			}
		}
		return l.result("problem", "problems", "No errors or warnings.").Noted(note)
	}
	return a, nil
}

// serious returns the errors, then the warnings, in order of their lines.
func serious(all []langserver.Diagnostic) []langserver.Diagnostic {
	l := slices.DeleteFunc(slices.Clone(all), func(d langserver.Diagnostic) bool { return d.Severity > langserver.Warning || d.Message == "" })
	slices.SortStableFunc(l, func(a, b langserver.Diagnostic) int {
		return cmp.Or(int(a.Severity-b.Severity), int(a.Range.Start.Line)-int(b.Range.Start.Line))
	})
	return l
}

// describe returns a problem on one line.
func describe(d langserver.Diagnostic) string {
	text := "error: "
	if d.Severity != langserver.Error {
		text = "warning: "
	}
	text += visible.OneLine(d.Message)
	if d.Source != "" {
		text += " (" + d.Source + ")"
	}
	return text
}
