package user

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Limits of a finding: what a list of problems can show.
const (
	maxFindingTitle   = 300     // bytes
	maxFindingMessage = 4 << 10 // bytes
	maxFindingLines   = 200
)

// ReportFinding is the tool that reports what a review finds.
var ReportFinding = tools.Declare(tools.Spec{
	Name: "report_finding", Display: "ReportFinding", Kind: tools.Think,
	Similar: []string{"reportissue", "addfinding", "reportbug"},
	Synonyms: map[string]string{
		"path": "file_path", "file": "file_path", "filePath": "file_path", "absolute_path": "file_path",
		"start_line": "line", "startLine": "line", "endLine": "end_line", "description": "message",
	},
	Needs: tools.Needs{Review: true}, NotForAgents: true,
}, pages, tools.NewParams[reportFindingArgs](), prepareReportFinding)

type reportFindingArgs struct {
	FilePath string         `json:"file_path" jsonschema:"Path, absolute or relative to the session folder."`
	Line     int            `json:"line" jsonschema:"The first line, counted from 1."`
	EndLine  int            `json:"end_line,omitempty" jsonschema:"The last line; default: line."`
	Severity tools.Severity `json:"severity" enum:"error,warning,information" jsonschema:"How bad it is."`
	Title    string         `json:"title" jsonschema:"What is wrong, in one line."`
	Message  string         `json:"message" jsonschema:"When it happens, why, and how to fix it."`
}

func prepareReportFinding(ctx context.Context, env tools.Env, args reportFindingArgs) (tools.Action, error) {
	title, message := visible.OneLine(plain(args.Title)), plain(args.Message)
	if args.EndLine == 0 {
		args.EndLine = args.Line
	}
	switch {
	case title == "" || len(title) > maxFindingTitle:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: title: expected 1 to %d bytes", maxFindingTitle)
	case len(message) > maxFindingMessage:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: message: expected at most %d bytes", maxFindingMessage)
	case args.EndLine < args.Line || args.EndLine-args.Line >= maxFindingLines:
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: end_line: expected %d to %d, got %d", args.Line, args.Line+maxFindingLines-1, args.EndLine)
	}
	p, err := tools.Resolve(env, "file_path", args.FilePath)
	if err != nil {
		return tools.Action{}, err
	}
	f, err := env.Snapshot.Read(ctx, p.Abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return tools.Action{}, tools.Errorf(tools.FileNotFound, "%s does not exist: report the problem at a line of a file that does", tools.Shown(args.FilePath))
	case err != nil:
		return tools.Action{}, tools.DiskError("read", args.FilePath, err)
	}
	lines := f.Text.Lines()
	if lines > 1 && f.Text.Line(lines-1) == "" {
		lines--
	}
	if args.Line < 1 || args.EndLine > lines {
		return tools.Action{}, tools.Errorf(tools.InvalidParams, "invalid params: line: %s has lines 1 to %d, got %d to %d", tools.Shown(args.FilePath), lines, args.Line, args.EndLine)
	}
	return tools.Action{
		Title:     fmt.Sprintf("%s: %s", args.Severity, tools.Shown(title)),
		Locations: []tools.Location{{Path: p.Abs, Line: args.Line}},
		Effect: tools.Finds{
			Finding: tools.Finding{Path: p.Abs, Severity: args.Severity, Title: title, Message: message},
			Lines:   ide.NewPassage(f.Text, args.Line-1, args.EndLine-1),
		},
	}, nil
}
