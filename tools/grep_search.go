package tools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/internal/search"
	"github.com/emendo-dev/emendo/internal/secret"
)

// The limits of a search; the figures are Gemini CLI's.
const (
	grepMatches = 100              // matches by default
	grepTimeout = 30 * time.Second // the result then has what was found so far
	mostMatches = 10_000           // matches at most: more do not fit
	mostContext = 1000             // lines around a match
)

type grepSearch struct {
	timeout time.Duration
}

// GrepSearch is the tool that finds lines by pattern.
var GrepSearch = Declare(Spec{
	Name: "grep_search", Display: "SearchText", Kind: Search, Aliases: []string{"search_file_content", "Grep", "grep", "ripgrep", "rg"}, Adapt: adaptSearch,
	Synonyms: withSynonyms(dirPathSynonyms, map[string]string{
		"include": "include_pattern", "glob": "include_pattern", "includePattern": "include_pattern", "head_limit": "total_max_matches", "max_results": "total_max_matches", "query": "pattern", "regex": "pattern",
	}),
	Similar: []string{"grep", "rg", "ripgrep", "search", "searchtext", "codesearch"}, FormerNames: []string{"search_file_content", "GrepTool", "RipGrepTool"}, ClaudeNames: []string{"Grep"},
	Investigates: true,
}, pages, NewParams[grepArgs](), grepSearch{grepTimeout}.prepare)

type grepArgs struct {
	Pattern  string `json:"pattern" jsonschema:"Regular expression (RE2)."`
	DirPath  string `json:"dir_path,omitempty" jsonschema:"Folder or file to search. Default: the whole workspace."`
	Include  string `json:"include_pattern,omitempty" jsonschema:"Glob of files to search, such as \"*.go\" or \"src/**/*.ts\"; a leading ! excludes them instead."`
	Exclude  string `json:"exclude_pattern,omitempty" jsonschema:"Regular expression of lines to leave out."`
	Names    bool   `json:"names_only,omitempty" jsonschema:"Return only the paths of matching files."`
	PerFile  *int   `json:"max_matches_per_file,omitempty" min:"1" jsonschema:"Most matches per file."`
	Total    *int   `json:"total_max_matches,omitempty" min:"1" jsonschema:"Most matches in all. Default: 100."`
	Case     bool   `json:"case_sensitive,omitempty" jsonschema:"Default: false."`
	Fixed    bool   `json:"fixed_strings,omitempty" jsonschema:"Treat the pattern as plain text."`
	Context  *int   `json:"context,omitempty" min:"0" jsonschema:"Lines before and after each match."`
	After    *int   `json:"after,omitempty" min:"0" jsonschema:"Lines after each match."`
	Before   *int   `json:"before,omitempty" min:"0" jsonschema:"Lines before each match."`
	NoIgnore bool   `json:"no_ignore,omitempty" jsonschema:"Also search dependencies and what .gitignore excludes."`
}

func (g grepSearch) prepare(ctx context.Context, env Env, args grepArgs) (Action, error) {
	s, err := newGrep(env, args)
	if err != nil {
		return Action{}, err
	}
	s.timeout = g.timeout
	if isOutput(env, args.DirPath) {
		s.env.Snapshot = env.Snapshot.Within(env.Outputs)
	}
	s.Snapshot = s.env.Snapshot
	var reads Reads
	if args.DirPath == "" {
		s.Dirs, err = everywhere(env)
	} else if err = s.limitTo(ctx, args.DirPath); s.File != nil {
		reads.Paths = []string{s.File.Path.Abs}
	}
	if err != nil {
		return Action{}, err
	}
	title := "Search " + Shown(args.Pattern)
	if args.Include != "" {
		title += " in " + Shown(args.Include)
	}
	if args.DirPath != "" {
		title += " within " + Shown(args.DirPath)
	}
	return Action{
		Title:     title,
		Locations: s.locations(),
		Effect:    reads,
		Run:       func(ctx context.Context, _ func(Progress)) Result { return s.run(ctx) },
	}, nil
}

// A grep is a search with everything that its result mentions.
type grep struct {
	search.Search
	env     Env
	pattern string // as the model wrote it
	include include
	timeout time.Duration
}

// newGrep checks all arguments but the place.
func newGrep(env Env, args grepArgs) (*grep, error) {
	if args.Pattern == "" {
		return nil, Errorf(InvalidParams, "invalid params: pattern is empty")
	}
	s := &grep{env: env, pattern: args.Pattern}
	s.Search = search.Search{
		Rules: ignoreOptions(env, nil, nil), Exclude: walk.DefaultExclude, Secret: mayHoldSecrets,
		NamesOnly: args.Names, Total: grepMatches,
		AutoContext: args.Context == nil && args.Before == nil && args.After == nil,
	}
	if args.NoIgnore {
		s.Rules.NoGit, s.Exclude = true, nil
	}
	var err error
	if s.Lines, err = search.Compile(args.Pattern, search.Options{Literal: args.Fixed, CaseSensitive: args.Case}); err != nil {
		return nil, badPattern("pattern", args.Pattern, err)
	}
	if args.Exclude != "" {
		exclude, err := search.Compile(args.Exclude, search.Options{CaseSensitive: args.Case})
		if err != nil {
			return nil, badPattern("exclude_pattern", args.Exclude, err)
		}
		s.Lines.Except(exclude)
	}
	if args.Include != "" {
		if s.include, err = newInclude(args.Include); err != nil {
			return nil, err
		}
		s.Select = func(f search.File) bool { return s.include.matches(f.Rel, env.Near(f.Path.Abs)) }
	}
	for _, n := range []struct{ given, to *int }{
		{args.PerFile, &s.PerFile},
		{args.Total, &s.Total},
		{args.Context, &s.Before},
		{args.Context, &s.After},
		{args.Before, &s.Before},
		{args.After, &s.After},
	} {
		if n.given != nil {
			*n.to = *n.given
		}
	}
	s.Total = min(s.Total, mostMatches)
	s.Before, s.After = min(s.Before, mostContext), min(s.After, mostContext)
	return s, nil
}

func mayHoldSecrets(p disk.Path, data []byte) bool {
	if data == nil {
		return secret.Named(p.Rel)
	}
	return secret.Held(p.Abs, data)
}

// badPattern words an error of [search.Compile] for the model.
func badPattern(param, pattern string, err error) error {
	var e *syntax.Error
	if !errors.As(err, &e) {
		return Errorf(InvalidParams, "invalid params: %s: contains a line end, but matches are within one line; search for one of the lines", param)
	}
	where := ""
	if i := strings.Index(pattern, e.Expr); i >= 0 && e.Expr != pattern {
		where = " at character " + strconv.Itoa(utf8.RuneCountInString(pattern[:i])+1)
	}
	advice := "; to search for plain text, set fixed_strings"
	switch e.Code {
	case syntax.ErrInvalidPerlOp:
		advice = "; RE2 has no look-around"
	case syntax.ErrInvalidEscape:
		advice = "; RE2 has no back-references"
	}
	return Errorf(InvalidParams, "invalid params: %s: invalid regular expression: %s%s: %s%s", param, e.Code, where, Shown(e.Expr), advice)
}

// limitTo limits the search to a folder or a single file.
func (s *grep) limitTo(ctx context.Context, name string) error {
	p, err := Resolve(s.env, "dir_path", name)
	if err != nil {
		return err
	}
	doc := s.Snapshot.Current(ctx, p.Abs)
	info, err := s.Snapshot.Tree().Stat(p)
	if doc == nil && (err != nil || info.IsDir() || s.Snapshot.Gone(p.Abs)) {
		p, err = folder(ctx, s.env, "dir_path", name)
		s.Dirs = []disk.Path{p}
		return err
	}
	ignored, err := ignore.Ignored(ctx, s.Snapshot.Tree(), p, false, s.Rules)
	switch {
	case err != nil:
		return DiskError("search", name, err)
	case ignored:
		return Errorf(PermissionDenied, "cannot search %s: it is ignored%s", Shown(name), s.ignoredBy())
	case secret.Named(p.Abs) || secret.Named(name):
		return Errorf(PermissionDenied, "cannot search %s: it may hold secrets; read_file can read it if the user agrees", Shown(name))
	case doc == nil:
		if err := regular(ctx, s.env, p, name); err != nil {
			return err
		}
	}
	s.File = &search.File{Rel: path.Base(p.Rel), Path: p, Doc: doc}
	return nil
}

func (s *grep) locations() []Location {
	if s.File != nil {
		return []Location{{Path: s.File.Path.Abs}}
	}
	return locations(s.Dirs)
}

// ignoredBy returns what can be done about an ignored file or folder.
func (s *grep) ignoredBy() string {
	if s.Rules.NoGit {
		return " by .geminiignore or .emendoignore, which only the user can change"
	}
	return "; set no_ignore to search what .gitignore excludes"
}

func (s *grep) run(outer context.Context) Result {
	ctx, stop := context.WithTimeout(outer, s.timeout)
	defer stop()
	r, err := s.Run(ctx)
	if outer.Err() != nil {
		return Result{Err: Errorf(GrepFailure, "the search was cancelled: %v", context.Cause(outer))}
	}
	timedOut := ctx.Err() != nil
	if err != nil && !timedOut {
		e := DiskError("search", s.env.Near(s.locations()[0].Path), err)
		if e.Type == ReadFailure {
			e.Type = GrepFailure
		}
		return Result{Err: e}
	}
	var found []string
	for _, m := range r.Files {
		found = append(found, m.Path.Abs)
	}
	return s.env.noteProposed(s.result(r, timedOut), "", found...)
}

// result words a report for the model.
func (s *grep) result(r search.Report, timedOut bool) Result {
	skipped := s.skipped(r, timedOut)
	if len(r.Files) == 0 {
		return Result{
			Output:  fmt.Sprintf("No line matches %s in %s.\n%s", Shown(s.pattern), s.where(), skipped),
			Summary: "No matches found",
		}
	}
	limited := ""
	if r.Limited {
		limited = " (the limit; there may be more)"
	}
	files := Count(len(r.Files), "file", "files")
	var out Lines
	if s.NamesOnly {
		for _, m := range r.Files {
			out.Add(Shown(s.env.Near(m.Path.Abs)))
		}
		return Result{
			Output:  fmt.Sprintf("Found %s with a line that matches %s in %s%s:\n%s%s", files, Shown(s.pattern), s.where(), limited, out.String(), skipped+cutShort(out)),
			Summary: "Found " + files,
		}
	}
	out.Add("---")
	for _, m := range r.Files {
		if !out.Add("File: " + Shown(s.env.Near(m.Path.Abs))) {
			break
		}
		for _, l := range m.Lines {
			mark := "-"
			if l.Match {
				mark = ":"
			}
			line := fmt.Sprintf("L%d%s %s", l.Number, mark, l.Text)
			if l.Gap {
				line = "--\n" + line
			}
			if !out.Add(line) {
				break
			}
		}
		out.Add("---")
	}
	matches := Count(r.Matches, "match", "matches")
	return Result{
		Output:  fmt.Sprintf("Found %s for %s in %s in %s%s:\n%s%s", matches, Shown(s.pattern), files, s.where(), limited, out.String(), skipped+cutShort(out)),
		Summary: fmt.Sprintf("%s in %s", matches, files),
	}
}

func (s *grep) where() string {
	if s.File != nil {
		return Shown(s.env.Near(s.File.Path.Abs))
	}
	if len(s.Dirs) > 1 {
		return "the workspace"
	}
	return Shown(s.Dirs[0].Abs)
}

func cutShort(out Lines) string {
	if !out.Full {
		return ""
	}
	return "(Output truncated: narrow the pattern, dir_path or include_pattern, set names_only, or request less context.)\n"
}

// skipped lists what was not searched.
func (s *grep) skipped(r search.Report, timedOut bool) string {
	var l []string
	if timedOut {
		l = append(l, fmt.Sprintf("the search timed out after %v; narrow dir_path or include_pattern", s.timeout))
	}
	if s.Select != nil && r.Selected == 0 && !timedOut && s.File == nil {
		l = append(l, "include_pattern matches no file here")
	}
	if len(r.Secret) > 0 {
		l = append(l, "not searched, may hold secrets: "+firstNames(s.names(r.Secret)))
	}
	if r.Binary > 0 {
		l = append(l, fmt.Sprintf("not searched: %s", Count(r.Binary, "binary file", "binary files")))
	}
	if len(r.Large) > 0 {
		l = append(l, "not searched, larger than 10 MiB: "+firstNames(s.names(r.Large)))
	}
	for _, g := range r.Gaps {
		l = append(l, s.describeGap(g))
	}
	return notes(l)
}

func (s *grep) describeGap(g search.Gap) string {
	name := s.env.Near(g.Path.Abs)
	walked, ok := errors.AsType[*walk.Gap](g.Err)
	switch {
	case ok:
		return "not searched completely: " + name + ": " + gapReason(walked)
	case errors.Is(g.Err, search.ErrIgnored):
		return name + " is ignored" + s.ignoredBy()
	case errors.Is(g.Err, search.ErrInterrupted):
		return "not searched completely: " + name
	}
	return DiskError("search", name, g.Err).Message
}

// names returns how the model reads some paths, sorted.
func (s *grep) names(paths []disk.Path) []string {
	l := make([]string, len(paths))
	for i, p := range paths {
		l[i] = s.env.Near(p.Abs)
	}
	slices.Sort(l)
	return l
}

// An include selects the files to search.
type include struct {
	pattern string // slash-separated, lower case
	not     bool   // selects the files that do not match
}

func newInclude(pattern string) (include, error) {
	rest, not := strings.CutPrefix(filepath.ToSlash(pattern), "!")
	if strings.HasSuffix(rest, "/") {
		rest += "**"
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "./"), "/")
	rest, err := newGlob("include_pattern", rest)
	return include{strings.ToLower(rest), not}, err
}

// matches reports whether a file is selected. A pattern without a slash is
// compared with names, at any depth; any other with paths from the folder that
// is searched and from the session's.
func (i include) matches(rel, fromSession string) bool {
	paths := []string{rel, fromSession}
	if !strings.Contains(i.pattern, "/") {
		paths = []string{path.Base(rel)}
	}
	patterns := []string{i.pattern}
	if rest, ok := strings.CutPrefix(i.pattern, "@"); ok && rest != "" { // as people name files in prompts
		patterns = append(patterns, rest)
	}
	for _, pattern := range patterns {
		for _, p := range paths {
			if ok, err := doublestar.Match(pattern, strings.ToLower(p)); ok && err == nil {
				return !i.not
			}
		}
	}
	return i.not
}
