package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/finding"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/cmd/emendo/cli"
	"github.com/emendo-dev/emendo/cmd/emendo/findings"
	"github.com/emendo-dev/emendo/cmd/emendo/headless"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/gitdir"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// reviewFlags are the flags of `emendo review`.
type reviewFlags struct {
	runFlags

	staged                 bool
	commit, branch, failOn string
	format                 string
}

// reviewCommand returns what defines `emendo review`.
func reviewCommand(p process) func(*flag.FlagSet) cli.Run {
	return func(f *flag.FlagSet) cli.Run {
		var r reviewFlags
		r.ofTurns(f)
		f.BoolVar(&r.staged, "staged", false, "review what is staged; without this and the next two, what is not committed")
		f.StringVar(&r.commit, "commit", "", "`REV` review a commit")
		f.StringVar(&r.branch, "branch", "", "`REF` review what the current branch has changed since it left this one")
		f.StringVar(&r.format, "format", "text", "`text|json|sarif` how to print the findings")
		f.StringVar(&r.failOn, "fail-on", "", "`error|warning` exit with 1 if there is a finding of this severity, or a worse one")
		return func(ctx context.Context, rest []string) error {
			given := map[string]bool{}
			f.Visit(func(f *flag.Flag) { given[f.Name] = true })
			if err := r.check(rest, given); err != nil {
				return err
			}
			return r.printFindings(ctx, p)
		}
	}
}

// check validates the flags.
func (r *reviewFlags) check(rest []string, given map[string]bool) error {
	r.runFlags.format = "text"
	several := 0
	for _, name := range []string{"staged", "commit", "branch"} {
		if given[name] {
			several++
		}
	}
	switch {
	case several > 1:
		return cli.BadInput("--staged, --commit and --branch exclude each other")
	case given["commit"] && r.commit == "":
		return cli.BadInput("--commit: want a commit")
	case given["branch"] && r.branch == "":
		return cli.BadInput("--branch: want the branch that this one has left")
	case !slices.Contains(findings.Formats, r.format):
		return cli.BadInput("--format: want %s, got %q", strings.Join(findings.Formats, ", "), r.format)
	case r.failOn != "" && r.failOn != string(tools.SeverityError) && r.failOn != string(tools.SeverityWarning):
		return cli.BadInput("--fail-on: want error or warning, got %q", r.failOn)
	}
	return r.runFlags.check(rest, given)
}

// diffOf returns what is reviewed.
func (r *reviewFlags) diffOf(folder string) agent.DiffOf {
	o := agent.DiffOf{URI: string(ide.FileURI(folder)), Of: "uncommitted"}
	switch {
	case r.staged:
		o.Of = "staged"
	case r.commit != "":
		o.Of, o.Ref = "commit", r.commit
	case r.branch != "":
		o.Of, o.Ref = "branch", r.branch
	}
	return o
}

// printFindings runs a review and prints its findings.
func (r reviewFlags) printFindings(ctx context.Context, p process) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := p.output("", stop) // the findings are the output
	found := collected{process: p, stop: stop, text: r.format == "text"}
	at, end, err := r.runReview(ctx, p, out, &found)
	code, err := outcome(context.Cause(ctx), end, err, out.SessionID())
	if code == exitPipe {
		return nil // the reader closed the pipe
	}
	if werr := out.Finish(end, err, code); werr != nil {
		return werr
	}
	if werr := found.finish(r.format, at, err); werr != nil && !isPipeClosed(werr) {
		return werr
	}
	switch n := found.atLeast(tools.Severity(r.failOn)); {
	case err != nil:
		return exit{code, err}
	case r.failOn != "" && n == 1:
		return exit{exitFailure, fmt.Errorf("one finding is of severity %s or worse", r.failOn)}
	case r.failOn != "" && n > 1:
		return exit{exitFailure, fmt.Errorf("%d findings are of severity %s or worse", n, r.failOn)}
	}
	return nil
}

// runReview runs the turn of a review. It returns the folder of the session.
func (r reviewFlags) runReview(ctx context.Context, p process, out *headless.Output, found *collected) (folder string, end state.Ended, err error) {
	at, err := r.placeIn(p)
	if err != nil {
		return "", end, err
	}
	end, err = r.inSession(ctx, p, at, out, func(ctx context.Context, a *agent.Agent, s *agent.Session) (state.Ended, error) {
		found.follow(a.Process.Findings, s.ID(), at.cwd)
		prompt, d, err := a.Review(ctx, r.diffOf(at.cwd))
		switch {
		case errors.Is(err, agent.ErrNoDiff):
			return state.Ended{}, exit{exitInput, err}
		case err != nil:
			return state.Ended{}, err
		case len(prompt.Blocks) == 0:
			p.warn("emendo: there are no changes to review")
			return state.Ended{StopReason: transcript.EndTurn}, nil
		}
		if left := (view.Task{LeftOut: d.Left}).NotSent(); left != nil {
			p.warn("emendo: " + left.Text)
		}
		prompt.Budget = r.budget()
		return s.Prompt(ctx, prompt)
	})
	return at.cwd, end, err
}

// collected are the findings of a run. Those for a person are printed as they arrive.
type collected struct {
	process process
	stop    context.CancelCauseFunc
	text    bool

	mu     sync.Mutex
	known  map[string]bool // by ID
	all    []finding.Finding
	failed error // of writing
}

// follow collects what is added to a list for a session from now on.
func (c *collected) follow(l *finding.List, session, folder string) {
	c.known = map[string]bool{}
	for _, f := range l.OfSession(session) { // of earlier turns
		c.known[f.ID] = true
	}
	l.Watch(func(string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, f := range l.OfSession(session) {
			if c.known[f.ID] {
				continue
			}
			c.known[f.ID] = true
			c.all = append(c.all, f)
			if c.text && c.failed == nil {
				if c.failed = findings.WriteText(c.process.stdout, folder, f); c.failed != nil {
					c.stop(c.failed)
				}
			}
		}
	})
}

// finish writes the findings in a format for programs. err is why the review failed.
func (c *collected) finish(format, folder string, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case format == "json":
		return findings.WriteJSON(c.process.stdout, c.all)
	case format == "sarif":
		r := findings.Review{Version: version, Folder: folder}
		if repository, ok := gitdir.Nearest(folder); ok {
			r.Folder = repository.Tree
		}
		if err != nil {
			r.Failed = visible.OneLine(c.process.secrets.Text(err.Error()))
		}
		return findings.WriteSARIF(c.process.stdout, r, c.all)
	}
	return c.failed
}

// atLeast counts the findings of a severity or a worse one.
func (c *collected) atLeast(s tools.Severity) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.all {
		if f.Severity.AtLeast(s) {
			n++
		}
	}
	return n
}
