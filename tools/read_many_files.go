package tools

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/emendo-dev/emendo/ide/disk"
	"github.com/emendo-dev/emendo/internal/search"
)

// manyFiles is how many files one call reads at most.
const manyFiles = 100

// ReadManyFiles is the tool that reads several files.
var ReadManyFiles = Declare(Spec{
	Name: "read_many_files", Display: "ReadManyFiles", Kind: Read, Synonyms: map[string]string{"paths": "include", "file_paths": "include", "files": "include", "filePaths": "include"},
	FormerNames: []string{"ReadManyFilesTool"},
}, pages, NewParams[readManyFilesArgs](), prepareReadManyFiles)

type readManyFilesArgs struct {
	Include []string `json:"include" min:"1" max:"50" jsonschema:"Paths, folders and globs."`
	Exclude []string `json:"exclude,omitempty" max:"50" jsonschema:"Globs of files to leave out, such as \"**/*_test.go\"."`
}

func prepareReadManyFiles(ctx context.Context, env Env, args readManyFilesArgs) (Action, error) {
	m := many{env: env, include: args.Include}
	for _, name := range args.Exclude {
		pattern, err := newGlob("exclude", filepath.ToSlash(name))
		if err != nil {
			return Action{}, err
		}
		m.exclude = append(m.exclude, strings.TrimPrefix(pattern, "./"))
	}
	for _, name := range args.Include {
		if err := m.find(ctx, name); err != nil {
			return Action{}, err
		}
	}
	if err := m.prepare(ctx); err != nil {
		return Action{}, err
	}
	names := make([]string, len(args.Include))
	for i, name := range args.Include {
		names[i] = Shown(name)
	}
	return Action{Title: "Read " + firstNames(names), Locations: m.locations, Effect: m.effect, Run: m.run}, nil
}

// many collects the files that a call names, and what was left out.
type many struct {
	env              Env
	include, exclude []string
	found            []disk.Path
	left             []string

	names     []string // of the files to read, as the model reads them
	reads     []func(context.Context, func(Progress)) Result
	effect    Reads
	locations []Location
}

// find adds the files that an entry of include names.
func (m *many) find(ctx context.Context, name string) error {
	if strings.TrimSpace(name) == "" {
		return Errorf(InvalidParams, "invalid params: include has an empty entry")
	}
	args := globArgs{Pattern: name}
	if p, err := Resolve(m.env, "include", name); err == nil && (exists(m.env, p) || m.env.Snapshot.Current(ctx, p.Abs) != nil) {
		if !isDir(m.env, p) {
			m.add(p)
			return nil
		}
		args = globArgs{Pattern: "**", DirPath: name}
	} else if !strings.ContainsAny(name, "*?[{") {
		if err == nil {
			err = absent(ctx, m.env, "read", name, p)
		}
		m.left = append(m.left, err.Error())
		return nil
	}
	dirs, pattern, err := globPlace(ctx, m.env, args)
	if err != nil {
		return err
	}
	f := finding{env: m.env, dirs: dirs, pattern: pattern, fold: true}
	for _, dir := range dirs {
		rules := ignoreOptions(m.env, nil, nil)
		if err := f.collect(ctx, search.Files{Snapshot: m.env.Snapshot, Dir: dir, Rules: rules, Exclude: excluded(pattern), Match: f.named()}); err != nil {
			return DiskError("search", m.env.Near(dir.Abs), err)
		}
	}
	if len(f.files) == 0 {
		m.left = append(m.left, "no file matches "+name)
	}
	if len(f.secret) > 0 {
		m.left = append(m.left, "may hold secrets: "+firstNames(f.secret))
	}
	m.left = append(m.left, f.gaps...)
	slices.SortFunc(f.files, func(a, b search.File) int { return strings.Compare(a.Path.Abs, b.Path.Abs) })
	for _, file := range f.files {
		m.add(file.Path)
	}
	return nil
}

// add adds a file unless it is excluded or there already.
func (m *many) add(p disk.Path) {
	name := strings.TrimPrefix(m.env.Near(p.Abs), "/")
	out := func(pattern string) bool { return doublestar.MatchUnvalidated(strings.TrimPrefix(pattern, "/"), name) }
	if !slices.Contains(m.found, p) && !slices.ContainsFunc(m.exclude, out) {
		m.found = append(m.found, p)
	}
}

// prepare prepares to read each file as read_file does, so that the same files are
// refused. Files that would need approval by themselves are left out.
func (m *many) prepare(ctx context.Context) error {
	if len(m.found) > manyFiles {
		m.left = append(m.left, fmt.Sprintf("%d files more than the %d that one call reads; narrow include", len(m.found)-manyFiles, manyFiles))
		m.found = m.found[:manyFiles]
	}
	for _, p := range m.found {
		a, err := prepareReadFile(ctx, m.env, readFileArgs{FilePath: m.env.Near(p.Abs)})
		var refused *Error
		switch {
		case errors.As(err, &refused):
			m.left = append(m.left, refused.Message)
			continue
		case err != nil:
			return err
		}
		reads, _ := a.Effect.(Reads)
		if reads.Key {
			m.left = append(m.left, m.env.Near(p.Abs)+" may hold a secret; if the task needs it, use read_file")
			continue
		}
		m.names = append(m.names, m.env.Near(p.Abs))
		m.reads = append(m.reads, a.Run)
		m.effect.Paths, m.effect.Given = append(m.effect.Paths, reads.Paths...), append(m.effect.Given, reads.Given...)
		m.locations = append(m.locations, a.Locations...)
	}
	return nil
}

func (m *many) run(ctx context.Context, live func(Progress)) Result {
	var out strings.Builder
	var blobs []Blob
	done := 0
	left := slices.Clone(m.left)
	for i, read := range m.reads {
		name := m.names[i]
		r := read(ctx, live)
		switch {
		case ctx.Err() != nil:
			return CancelledResult(out.String())
		case r.Err != nil:
			left = append(left, r.Err.Message)
			continue
		case len(r.Blobs) > 0 && !m.asksFor(name):
			left = append(left, name+" is no text; to attach it, name it in include")
			continue
		case out.Len()+len(r.Output) > outputLimit-noteRoom:
			left = append(left, name+" did not fit; use read_file")
			continue
		}
		done++
		blobs = append(blobs, r.Blobs...)
		fmt.Fprintf(&out, "--- %s ---\n\n%s\n\n", Shown(name), strings.TrimSuffix(r.Output, "\n"))
	}
	summary := "Read " + Count(done, "file", "files")
	if len(left) > 0 {
		summary += fmt.Sprintf(", left out %d", len(left))
	}
	if done == 0 {
		out.WriteString("No file was read.\n")
	} else {
		out.WriteString("--- End of content ---\n")
	}
	return Result{Output: out.String() + notes(left), Summary: summary, Blobs: blobs}
}

// asksFor reports whether include names a file itself or its extension.
func (m *many) asksFor(name string) bool {
	return slices.ContainsFunc(m.include, func(asked string) bool {
		last := path.Base(filepath.ToSlash(asked))
		return last == path.Base(name) || path.Ext(name) != "" && strings.Contains(last, path.Ext(name))
	})
}
