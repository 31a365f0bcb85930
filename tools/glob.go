package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/ide/ignore"
	"github.com/emendo-dev/emendo/ide/walk"
	"github.com/emendo-dev/emendo/internal/search"
	"github.com/emendo-dev/emendo/internal/secret"
)

const (
	// recent is the age up to which changed files come first; the figure is Gemini
	// CLI's.
	recent = 24 * time.Hour
	// mostDated bounds the files whose times are read. If more match, the model
	// must narrow its pattern anyway.
	mostDated = 20_000
)

// Glob is the tool that finds files by name.
var Glob = Declare(Spec{
	Name: "glob", Display: "FindFiles", Kind: Search, Aliases: []string{"Glob", "find_files", "file_search"}, Synonyms: withSynonyms(dirPathSynonyms, map[string]string{"glob_pattern": "pattern", "query": "pattern"}),
	Similar: []string{"find", "findfiles", "filesearch"}, FormerNames: []string{"GlobTool"}, ClaudeNames: []string{"Glob"},
	Investigates: true,
}, pages, NewParams[globArgs](), prepareGlob)

type globArgs struct {
	Pattern string `json:"pattern" jsonschema:"Glob, such as \"**/*.go\" or \"src/**/*.{ts,tsx}\"."`
	DirPath string `json:"dir_path,omitempty" jsonschema:"Folder to search. Default: the whole workspace."`
	Case    bool   `json:"case_sensitive,omitempty" jsonschema:"Default: false."`
	Git     *bool  `json:"respect_git_ignore,omitempty" jsonschema:"Apply .gitignore. Default: true."`
	Gemini  *bool  `json:"respect_gemini_ignore,omitempty" jsonschema:"Apply .geminiignore. Default: true."`
}

func prepareGlob(ctx context.Context, env Env, args globArgs) (Action, error) {
	dirs, pattern, err := globPlace(ctx, env, args)
	if err != nil {
		return Action{}, err
	}
	title := "Find " + Shown(args.Pattern)
	if args.DirPath != "" {
		title += " in " + Shown(args.DirPath)
	}
	return Action{
		Title:     title,
		Locations: locations(dirs),
		Effect:    Reads{},
		Run: func(ctx context.Context, _ func(Progress)) Result {
			f := finding{env: env, dirs: dirs, pattern: pattern, fold: !args.Case, now: time.Now()}
			r := f.run(ctx, args.Pattern, ignoreOptions(env, args.Git, args.Gemini))
			if rest, ok := strings.CutPrefix(pattern, "@"); ok && rest != "" && len(f.files) == 0 { // as people name files in prompts
				f := finding{env: env, dirs: dirs, pattern: rest, fold: !args.Case, now: time.Now()}
				if without := f.run(ctx, args.Pattern, ignoreOptions(env, args.Git, args.Gemini)); len(f.files) > 0 {
					return without
				}
			}
			return r
		},
	}, nil
}

// globPlace returns the folders to search and the pattern. A pattern that is
// absolute or has ".." is split: the folders before its first wildcard must be in
// the workspace.
func globPlace(ctx context.Context, env Env, args globArgs) (dirs []disk.Path, pattern string, err error) {
	pattern = filepath.ToSlash(args.Pattern)
	if strings.TrimSpace(pattern) == "" {
		return nil, "", Errorf(InvalidParams, "invalid params: pattern is empty")
	}
	if pattern, err = newGlob("pattern", pattern); err != nil {
		return nil, "", err
	}
	place := args.DirPath
	if filepath.IsAbs(args.Pattern) || slices.Contains(strings.Split(pattern, "/"), "..") {
		base, rest := doublestar.SplitPattern(pattern)
		if slices.Contains(strings.Split(rest, "/"), "..") {
			return nil, "", Errorf(InvalidParams, `invalid params: pattern: ".." after a wildcard: %s; pass the folder as dir_path`, Shown(args.Pattern))
		}
		if !filepath.IsAbs(args.Pattern) && place != "" {
			base = place + "/" + base
		}
		place, pattern = filepath.FromSlash(base), rest
	}
	if strings.HasPrefix(pattern, "./") {
		pattern = path.Clean(pattern)
	}
	pattern = strings.TrimSuffix(pattern, "/")
	if place == "" {
		dirs, err = everywhere(env)
		return dirs, pattern, err
	}
	p, err := folder(ctx, env, "dir_path", place)
	return []disk.Path{p}, pattern, err
}

// newGlob checks a glob argument and words its errors for the model.
func newGlob(param, pattern string) (string, error) {
	checked, err := search.Glob(pattern)
	if extended, ok := errors.AsType[search.ExtendedError](err); ok {
		return "", Errorf(InvalidParams, "invalid params: %s: extended glob %s is not supported; use {a,b} for alternatives, and a second call or an exclusion for the rest", param, Shown(string(extended)))
	}
	if err != nil {
		return "", Errorf(InvalidParams, "invalid params: %s: invalid glob %s: unclosed [ or {, or a trailing backslash", param, Shown(pattern))
	}
	return checked, nil
}

// finding collects the files that a pattern matches.
type finding struct {
	env     Env
	dirs    []disk.Path
	pattern string // slash-separated
	fold    bool   // ignore case
	now     time.Time
	files   []search.File
	secret  []string // left out because of their names
	gaps    []string
}

func (f *finding) run(ctx context.Context, asked string, rules ignore.Options) Result {
	for _, dir := range f.dirs {
		if err := f.collect(ctx, search.Files{Snapshot: f.env.Snapshot, Dir: dir, Rules: rules, Exclude: excluded(f.pattern), Match: f.named()}); err != nil {
			e := DiskError("search", f.env.Near(dir.Abs), err)
			if e.Type == ReadFailure {
				e.Type = GlobFailure
			}
			return Result{Err: e}
		}
	}
	dated := f.sortByTime()
	where := Shown(f.env.Dir)
	if len(f.dirs) == 1 {
		where = Shown(f.dirs[0].Abs)
	} else {
		where += " and the other folders of the workspace"
	}
	if len(f.files) == 0 {
		text := fmt.Sprintf("No file matches %s in %s; ignored files were not searched.\n", Shown(asked), where)
		if dir := f.folder(); dir != "" {
			text += fmt.Sprintf("%s is a folder, and glob finds files: use list_directory, or the pattern %s/** to find the files in it.\n", Shown(dir), Shown(f.pattern))
		} else if !strings.Contains(f.pattern, "**") {
			text += fmt.Sprintf("To search subfolders too, use **/%s.\n", Shown(strings.TrimPrefix(f.pattern, "/")))
		}
		return Result{Output: text + f.secrets() + notes(f.gaps), Summary: "No files found"}
	}
	order := "changed in the last 24 hours first"
	if !dated {
		order = "by name: there are too many to sort by time"
	}
	var out Lines
	n := 0
	for ; n < len(f.files); n++ {
		if !out.Add(Shown(f.files[n].Path.Abs)) {
			break
		}
	}
	head := fmt.Sprintf("Found %s that %s %s in %s, %s:\n", Count(len(f.files), "file", "files"), plural(len(f.files), "matches", "match"), Shown(asked), where, order)
	tail := ""
	if left := len(f.files) - n; left > 0 {
		tail = fmt.Sprintf("(%d more not shown; narrow the pattern or dir_path)\n", left)
	}
	return Result{
		Output:  head + out.String() + tail + f.secrets() + notes(f.gaps),
		Summary: "Found " + Count(len(f.files), "file", "files"),
	}
}

// folder returns the folder that the pattern names instead of files, or "".
func (f *finding) folder() string {
	tree := f.env.Snapshot.Tree()
	for _, dir := range f.dirs {
		p, err := tree.Resolve(filepath.Join(dir.Abs, filepath.FromSlash(f.pattern)))
		if err != nil {
			continue
		}
		if info, err := tree.Stat(p); err == nil && info.IsDir() {
			return f.env.Near(p.Abs)
		}
	}
	return ""
}

// secrets returns a note on the files that were left out because of their names.
func (f *finding) secrets() string {
	if len(f.secret) == 0 {
		return ""
	}
	return notes([]string{"left out, may hold secrets: " + firstNames(f.secret)})
}

// excluded returns the folders that are skipped unless the pattern names them.
func excluded(pattern string) []string {
	named := strings.Split(pattern, "/")
	return slices.DeleteFunc(slices.Clone(walk.DefaultExclude), func(name string) bool { return slices.Contains(named, name) })
}

// collect adds the matches below a folder.
func (f *finding) collect(ctx context.Context, s search.Files) error {
	for file, err := range s.All(ctx) {
		var gap *walk.Gap
		switch {
		case errors.As(err, &gap):
			f.gaps = append(f.gaps, "not searched completely: "+f.env.Near(s.Dir.Join(gap.Rel).Abs)+": "+gapReason(gap))
		case errors.Is(err, search.ErrIgnored):
			f.gaps = append(f.gaps, f.env.Near(s.Dir.Abs)+" is ignored; to search it, set respect_git_ignore and respect_gemini_ignore to false")
		case err != nil:
			return err
		case secret.Named(file.Path.Rel):
			f.secret = append(f.secret, f.env.Near(file.Path.Abs))
		case !file.Link || f.leadsToFile(file):
			f.files = append(f.files, file)
		}
	}
	return nil
}

// named returns a predicate for the pattern. It also matches the pattern literally:
// [slug].tsx is a name, too.
func (f *finding) named() func(rel string) bool {
	pattern := f.folded(f.pattern)
	tail := pattern[strings.LastIndexAny(pattern, `*?[]{}\/`)+1:] // every match ends with it
	return func(rel string) bool {
		rel = f.folded(rel)
		if !strings.HasSuffix(rel, tail) {
			return false
		}
		ok, err := doublestar.Match(pattern, rel)
		return err == nil && ok || rel == pattern
	}
}

// leadsToFile reports whether a link leads to a regular file.
func (f *finding) leadsToFile(file search.File) bool {
	tree := f.env.Snapshot.Tree()
	p, err := tree.Resolve(file.Path.Abs)
	if err != nil {
		return false
	}
	info, err := tree.Stat(p)
	return err == nil && info.Mode().IsRegular()
}

func (f *finding) folded(s string) string {
	if f.fold {
		return strings.ToLower(s)
	}
	return s
}

// sortByTime puts recently changed files first, newest first, then the others by path. It
// reports whether it read the times.
func (f *finding) sortByTime() (dated bool) {
	changed := map[string]time.Time{}
	if dated = len(f.files) <= mostDated; dated {
		for _, file := range f.files {
			if at := f.changed(file); f.now.Sub(at) < recent {
				changed[file.Path.Abs] = at
			}
		}
	}
	slices.SortFunc(f.files, func(a, b search.File) int {
		return cmp.Or(changed[b.Path.Abs].Compare(changed[a.Path.Abs]), strings.Compare(a.Path.Abs, b.Path.Abs))
	})
	return dated
}

// changed returns when a file was changed, which is now if it has unsaved changes.
func (f *finding) changed(file search.File) time.Time {
	info, err := f.env.Snapshot.Tree().Stat(file.Path)
	switch {
	case file.Doc != nil && (file.Doc.Unsaved || err != nil):
		return f.now
	case err != nil:
		return time.Time{}
	}
	return info.ModTime()
}
