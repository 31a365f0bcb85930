package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/tools/secret"
)

//go:embed grep_search.md
var grepSearchText string // what the model reads about this tool

// The limits of a search; the figures are Gemini CLI's.
const (
	grepMatches = 100              // matches, when the model does not say how many
	grepTimeout = 30 * time.Second // what was found until then is shown
	mostMatches = 10_000           // matches, whatever the model says: more do not fit
	mostContext = 1000             // lines around a match
)

type grepSearch struct {
	timeout time.Duration
}

// NewGrepSearch makes the tool that finds lines by a pattern.
func NewGrepSearch() Tool { return grepSearch{grepTimeout} }

// Reading is the tools that only look.
func Reading() []Tool {
	return []Tool{NewReadFile(), NewListDirectory(), NewGlob(), NewGrepSearch()}
}

func (grepSearch) Spec() Spec {
	return Spec{
		Name: "grep_search", Display: "SearchText", Kind: Search, Description: grepSearchText, Aliases: []string{"search_file_content"},
		Synonyms: map[string]string{"path": "dir_path", "directory": "dir_path", "include": "include_pattern"}, Schema: json.RawMessage(`{
	"type": "object",
	"properties": {
		"pattern": {"type": "string", "description": "Regular expression (RE2)."},
		"dir_path": {"type": "string", "description": "Folder or file to search. Default: the whole workspace."},
		"include_pattern": {"type": "string", "description": "Glob of files to search, such as \"*.go\" or \"src/**/*.ts\"; a leading ! excludes them instead."},
		"exclude_pattern": {"type": "string", "description": "Regular expression of lines to leave out."},
		"names_only": {"type": "boolean", "description": "Return only the paths of matching files."},
		"max_matches_per_file": {"type": "integer", "minimum": 1, "description": "Most matches per file."},
		"total_max_matches": {"type": "integer", "minimum": 1, "description": "Most matches in all. Default: 100."},
		"case_sensitive": {"type": "boolean", "description": "Default: false."},
		"fixed_strings": {"type": "boolean", "description": "Treat the pattern as plain text."},
		"context": {"type": "integer", "minimum": 0, "description": "Lines before and after each match."},
		"after": {"type": "integer", "minimum": 0, "description": "Lines after each match."},
		"before": {"type": "integer", "minimum": 0, "description": "Lines before each match."},
		"no_ignore": {"type": "boolean", "description": "Also search dependencies and what .gitignore excludes."}
	},
	"required": ["pattern"],
	"additionalProperties": false
}`),
	}
}

type grepArgs struct {
	Pattern  string `json:"pattern"`
	DirPath  string `json:"dir_path"`
	Include  string `json:"include_pattern"`
	Exclude  string `json:"exclude_pattern"`
	Names    bool   `json:"names_only"`
	PerFile  *int   `json:"max_matches_per_file"`
	Total    *int   `json:"total_max_matches"`
	Case     bool   `json:"case_sensitive"`
	Fixed    bool   `json:"fixed_strings"`
	Context  *int   `json:"context"`
	After    *int   `json:"after"`
	Before   *int   `json:"before"`
	NoIgnore bool   `json:"no_ignore"`
}

func (g grepSearch) Prepare(ctx context.Context, env Env, raw json.RawMessage) (Action, error) {
	var args grepArgs
	if err := Decode(raw, &args, "pattern"); err != nil {
		return Action{}, err
	}
	s, err := newSearch(env, args)
	if err != nil {
		return Action{}, err
	}
	s.timeout = g.timeout
	if isOutput(env, args.DirPath) {
		s.env.Snapshot = env.Snapshot.Within(env.Outputs)
	}
	var reads Reads
	if args.DirPath == "" {
		s.dirs, err = everywhere(env)
	} else if err = s.at(ctx, args.DirPath); s.file != nil {
		reads.Paths = []string{s.file.path.Abs}
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

// newSearch checks all arguments but the place.
func newSearch(env Env, args grepArgs) (*search, error) {
	if args.Pattern == "" {
		return nil, Errorf(InvalidParams, "pattern is empty")
	}
	s := &search{env: env, asked: args.Pattern, names: args.Names, total: grepMatches}
	s.rules = ignoreOptions(env, nil, nil)
	s.exclude = walk.DefaultExclude
	if args.NoIgnore {
		s.rules.NoGit, s.exclude = true, nil
	}
	var err error
	if s.lines, err = newLineSearch("pattern", args.Pattern, args.Fixed, args.Case); err != nil {
		return nil, err
	}
	if args.Exclude != "" {
		exclude, err := newLineSearch("exclude_pattern", args.Exclude, false, args.Case)
		if err != nil {
			return nil, err
		}
		s.lines.exclude = exclude.match
	}
	if s.include, err = newInclude(args.Include); err != nil {
		return nil, err
	}
	for _, n := range []struct {
		name  string
		given *int
		least int
		to    *int
	}{
		{"max_matches_per_file", args.PerFile, 1, &s.perFile},
		{"total_max_matches", args.Total, 1, &s.total},
		{"context", args.Context, 0, &s.before},
		{"context", args.Context, 0, &s.after},
		{"before", args.Before, 0, &s.before},
		{"after", args.After, 0, &s.after},
	} {
		if n.given == nil {
			continue
		}
		if *n.given < n.least {
			return nil, Errorf(InvalidParams, "%s is %d; it must be at least %d", n.name, *n.given, n.least)
		}
		*n.to = *n.given
	}
	s.total = min(s.total, mostMatches)
	s.before, s.after = min(s.before, mostContext), min(s.after, mostContext)
	s.around = args.Context != nil || args.Before != nil || args.After != nil
	return s, nil
}

// at makes the search one of a folder or of a single file.
func (s *search) at(ctx context.Context, name string) error {
	p, err := resolve(s.env, "dir_path", name)
	if err != nil {
		return err
	}
	doc := s.env.Snapshot.DocumentAt(p.Abs)
	info, err := s.env.Snapshot.Tree().Stat(p)
	if doc == nil && (err != nil || info.IsDir()) {
		p, err = folder(ctx, s.env, "dir_path", name)
		s.dirs = []disk.Path{p}
		return err
	}
	hides, err := ignore.Ignored(ctx, s.env.Snapshot.Tree(), p, false, s.rules)
	switch {
	case err != nil:
		return diskError("search", name, err)
	case hides:
		return Errorf(PermissionDenied, "cannot search %s: it is ignored%s", Shown(name), s.ignoredBy())
	case secret.Named(p.Abs) || secret.Named(name):
		return Errorf(PermissionDenied, "cannot search %s: it looks as if it holds secrets; read_file can read it if the user agrees", Shown(name))
	case doc == nil:
		if err := regular(ctx, s.env, p, name); err != nil {
			return err
		}
	}
	s.file = &swept{rel: path.Base(p.Rel), path: p, doc: doc}
	return nil
}

// An include says which files to search.
type include struct {
	pattern string // slash-separated, lower case; empty: all
	not     bool   // the files that it does not match
}

func newInclude(pattern string) (include, error) {
	rest, not := strings.CutPrefix(filepath.ToSlash(pattern), "!")
	if strings.HasSuffix(rest, "/") {
		rest += "**"
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "./"), "/")
	rest, err := newPattern("include_pattern", rest)
	return include{strings.ToLower(rest), not}, err
}

// takes says whether a file is to be searched: a pattern without a slash is of
// names, at any depth, any other of paths from the folder that is searched or
// from the session's.
func (i include) takes(rel, fromSession string) bool {
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

// grepError is what ended a search.
func grepError(ctx context.Context, name string, err error) *Error {
	if errors.Is(context.Cause(ctx), err) {
		return Errorf(GrepFailure, "the search was cancelled: %v", err)
	}
	e := diskError("search", name, err)
	if e.Type == ReadFailure {
		e.Type = GrepFailure
	}
	return e
}
