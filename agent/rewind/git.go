package rewind

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/internal/git"
)

// Git is the program that reads repositories; with the zero value there is none.
type Git = git.Program

// repository is a workspace folder in a git repository.
type repository struct {
	git    Git
	dir    string // the workspace folder
	prefix string // its path in the repository, with a slash at the end; empty at the top
	head   string // the commit that was checked out; empty before the first one
}

// open returns the repository of a folder; nil when the folder is not in one.
func open(ctx context.Context, g Git, dir string) (*repository, error) {
	if !g.Found() || !inRepository(dir) {
		return nil, nil
	}
	out, err := g.Run(ctx, dir, nil, "rev-parse", "--is-inside-work-tree", "--show-prefix")
	if err != nil {
		return nil, err
	}
	inside, prefix, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	if inside != "true" {
		return nil, fmt.Errorf("the repository in %s has its files elsewhere; correct core.worktree in its configuration", dir)
	}
	r := &repository{git: g, dir: dir, prefix: prefix}
	if err = r.renew(ctx); err == nil {
		err = r.checkedOut(ctx)
	}
	return r, err
}

// checkedOut finds out which commit is checked out now.
func (r *repository) checkedOut(ctx context.Context) error {
	head, err := r.git.Run(ctx, r.dir, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
	switch {
	case err == nil:
		r.head = strings.TrimSpace(string(head))
	case ctx.Err() != nil:
		return err
	default:
		r.head = ""
	}
	return nil
}

// renew switches off the filters that the repository configures now: a command
// that is not sandboxed may have configured others.
func (r *repository) renew(ctx context.Context) (err error) {
	r.git, err = r.git.WithoutFilters(ctx, r.dir)
	return err
}

// inRepository reports whether a folder may be in a repository, without starting git.
func inRepository(dir string) bool {
	for {
		if isGits(filepath.Join(dir, ".git")) {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// isGits reports whether something may be a repository's own folder, or leads to one. Git
// passes by a folder without HEAD, such as an empty one.
func isGits(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return err == nil
	}
	_, err = os.Lstat(filepath.Join(path, "HEAD"))
	return err == nil
}

// status adds to a listing the files that differ from the commit, untracked ones included,
// and those that git ignores. Git does not look into ignored folders.
func (r *repository) status(ctx context.Context, l *listing) error {
	out, err := r.git.Run(ctx, r.dir, nil, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames", "--ignore-submodules=all", "--", ".")
	if err != nil {
		return err
	}
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if len(rec) < 4 {
			continue
		}
		state, name := rec[:2], rec[3:]
		rel, in := strings.CutPrefix(name, r.prefix)
		switch {
		case state != "!!" && in && !strings.HasSuffix(name, "/"): // else a nested repository
			l.names = append(l.names, rel)
		case state != "!!":
		case in && rel != "":
			l.add(rel)
		case strings.HasPrefix(r.prefix, name): // a folder around the workspace, or the workspace itself
			l.ignores["."] = true
		}
	}
	return nil
}

// committed is a file in a commit.
type committed struct {
	rel   string
	oid   string
	mode  fs.FileMode
	loose bool   // git treats files with other line endings, or another encoding, as the same
	gap   string // why it cannot be restored from there
}

// changedSince returns the files of the commit that differ, or may differ, on disk.
func (r *repository) changedSince(ctx context.Context) ([]committed, error) {
	if r.head == "" {
		return nil, nil
	}
	out, err := r.git.Run(ctx, r.dir, nil, "diff-index", "--raw", "-z", "--no-renames", "--no-abbrev", "--relative", "--ignore-submodules=all", r.head, "--", ".")
	if err != nil {
		return nil, err
	}
	var l []committed
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 { // ":oldmode newmode old new status", then the path
		about := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(about) != 5 || about[0] == "000000" { // it was not in the commit
			continue
		}
		c := committed{rel: fields[i+1], oid: about[2]}
		switch about[0] {
		case "100644":
			c.mode = 0o644
		case "100755":
			c.mode = 0o755
		default:
			c.gap = "it was a link or a submodule"
		}
		l = append(l, c)
	}
	return l, r.attributes(ctx, l)
}

// attributes finds out which files git stores in another form than they have on
// disk. Git can restore most of them, but not the output of a filter, nor a
// keyword, which depends on when git last wrote the file.
func (r *repository) attributes(ctx context.Context, l []committed) error {
	if len(l) == 0 {
		return nil
	}
	all, err := r.convertsLineEnds(ctx)
	if err != nil {
		return err
	}
	var in bytes.Buffer
	at := map[string]*committed{}
	for i := range l {
		in.WriteString(l[i].rel + "\x00")
		at[l[i].rel] = &l[i]
		l[i].loose = all
	}
	out, err := r.git.Run(ctx, r.dir, in.Bytes(), "check-attr", "-z", "--stdin", "filter", "ident", "text", "crlf", "eol", "working-tree-encoding")
	if err != nil {
		return err
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		c, value := at[fields[i]], fields[i+2]
		switch {
		case value == "unspecified", value == "unset":
		case fields[i+1] == "filter":
			c.gap = "git stores it in another form, by its filter " + value
		case fields[i+1] == "ident":
			c.gap = "git writes a keyword into it"
		default:
			c.loose = true
		}
		if c.loose && strings.Contains(c.rel, "\n") && c.gap == "" {
			c.gap = "git stores it in another form, and cannot be asked for a file of that name"
		}
	}
	return nil
}

// convertsLineEnds reports whether git converts line endings in every text file.
func (r *repository) convertsLineEnds(ctx context.Context) (bool, error) {
	out, err := r.git.Run(ctx, r.dir, nil, "config", "--get", "core.autocrlf")
	if git.ExitCode(err) == 1 { // it is not set
		return false, nil
	}
	switch strings.ToLower(strings.TrimSpace(string(out))) {
	case "false", "no", "off", "0":
		return false, err
	}
	return true, err
}

// maxBatch bounds what git is asked for at once, in bytes: its answer is kept in
// memory.
const maxBatch = 16 << 20

// read passes the bytes that committed files have on disk to take, one file after
// another; nil for those longer than limit.
func (r *repository) read(ctx context.Context, l []committed, limit int64, take func(c committed, data []byte) error) error {
	if len(l) == 0 {
		return nil
	}
	sizes, err := r.sizes(ctx, l)
	if err != nil {
		return err
	}
	var some []committed
	var size int64
	for i, c := range l {
		if sizes[i] > limit {
			if err := take(c, nil); err != nil {
				return err
			}
			continue
		}
		if len(some) > 0 && size+sizes[i] > maxBatch {
			if err := r.contents(ctx, some, take); err != nil {
				return err
			}
			some, size = nil, 0
		}
		some, size = append(some, c), size+sizes[i]
	}
	return r.contents(ctx, some, take)
}

// sizes returns the sizes of committed files as git stores them.
func (r *repository) sizes(ctx context.Context, l []committed) ([]int64, error) {
	var in bytes.Buffer
	for _, c := range l {
		in.WriteString(c.oid + "\n")
	}
	out, err := r.git.Run(ctx, r.dir, in.Bytes(), "cat-file", "--batch-check=%(objecttype) %(objectsize)")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(l) {
		return nil, errNoObject
	}
	sizes := make([]int64, len(l))
	for i, line := range lines {
		kind, size, _ := strings.Cut(line, " ")
		if sizes[i], err = strconv.ParseInt(size, 10, 64); kind != "blob" || err != nil {
			return nil, errNoObject
		}
	}
	return sizes, nil
}

// contents passes the bytes of committed files to take. Git reports the size that
// it stores and not the one that it writes, so a mark that is in no file separates
// them.
func (r *repository) contents(ctx context.Context, l []committed, take func(c committed, data []byte) error) error {
	if len(l) == 0 {
		return nil
	}
	mark := rand.Text()
	var in bytes.Buffer
	for _, c := range l {
		name := c.rel
		if strings.Contains(name, "\n") { // git cannot be asked for it
			name = mark
		}
		in.WriteString(c.oid + " " + name + "\n")
	}
	out, err := r.git.Run(ctx, r.dir, in.Bytes(), "cat-file", "--filters", "--batch="+mark)
	if err != nil {
		return err
	}
	files := bytes.Split(out, []byte(mark+"\n"))
	if len(files) != len(l)+1 || len(files[0]) > 0 {
		return errNoObject
	}
	for i, c := range l {
		data, ok := bytes.CutSuffix(files[i+1], []byte("\n"))
		if !ok {
			return errNoObject
		}
		if err := take(c, data); err != nil {
			return err
		}
	}
	return nil
}

var errNoObject = errors.New("git no longer has the committed files")
