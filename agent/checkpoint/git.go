package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/tools/git"
)

// Git is the program that tells what is in repositories; the zero value is that
// there is none.
type Git = git.Program

// repository is a workspace folder that is in one.
type repository struct {
	git    Git
	dir    string // the workspace folder
	prefix string // its path in the repository, with a slash at the end; empty at the top
	head   string // the commit that was checked out; empty before the first one
}

// open finds the repository of a folder; nil when it is in none.
func open(ctx context.Context, g Git, dir string) (*repository, error) {
	if !g.Found() || !inRepository(dir) {
		return nil, nil
	}
	prefix, err := g.Run(ctx, dir, nil, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	if g, err = g.WithoutFilters(ctx, dir); err != nil {
		return nil, err
	}
	r := &repository{git: g, dir: dir, prefix: strings.TrimSuffix(string(prefix), "\n")}
	if head, err := g.Run(ctx, dir, nil, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"); err == nil {
		r.head = strings.TrimSpace(string(head))
	} else if ctx.Err() != nil {
		return nil, err
	}
	return r, nil
}

// inRepository keeps git from being started where there is nothing for it.
func inRepository(dir string) bool {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// dirty lists the files that are not as they were committed, those that git
// does not know included; slash-separated, relative to the folder.
func (r *repository) dirty(ctx context.Context) ([]string, error) {
	out, err := r.git.Run(ctx, r.dir, nil, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all", "--", ".")
	if err != nil {
		return nil, err
	}
	var l []string
	for rec := range strings.SplitSeq(string(out), "\x00") {
		if len(rec) < 4 || strings.HasSuffix(rec, "/") { // a repository inside this one
			continue
		}
		if rel, ok := strings.CutPrefix(rec[3:], r.prefix); ok {
			l = append(l, rel)
		}
	}
	return l, nil
}

// committed is a file as it is in a commit.
type committed struct {
	rel  string
	oid  string
	mode fs.FileMode
	gap  string // why it cannot be taken from there
}

// changedSince lists the files of the commit that are, or may be, another on
// disk now.
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
			c.gap = "it was a link or a repository of its own"
		}
		l = append(l, c)
	}
	return l, r.filtered(ctx, l)
}

// filtered marks files that git keeps in another form than they have on disk.
func (r *repository) filtered(ctx context.Context, l []committed) error {
	if len(l) == 0 {
		return nil
	}
	var in bytes.Buffer
	at := map[string]int{}
	for i, c := range l {
		in.WriteString(c.rel + "\x00")
		at[c.rel] = i
	}
	out, err := r.git.Run(ctx, r.dir, in.Bytes(), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return err
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if v := fields[i+2]; v != "unspecified" && v != "unset" {
			l[at[fields[i]]].gap = "git keeps it in another form, by its filter " + v
		}
	}
	return nil
}

// read gives the bytes of committed files, called one after another; those
// longer than limit are given as nil.
func (r *repository) read(ctx context.Context, l []committed, limit int64, take func(c committed, data []byte) error) error {
	if len(l) == 0 {
		return nil
	}
	// In groups, for what git answers is held in memory.
	const group = 64
	for len(l) > 0 {
		n := min(group, len(l))
		if err := r.readGroup(ctx, l[:n], limit, take); err != nil {
			return err
		}
		l = l[n:]
	}
	return nil
}

func (r *repository) readGroup(ctx context.Context, l []committed, limit int64, take func(c committed, data []byte) error) error {
	var in bytes.Buffer
	for _, c := range l {
		in.WriteString(c.oid + "\n")
	}
	sizes, err := r.git.Run(ctx, r.dir, in.Bytes(), "cat-file", "--batch-check=%(objecttype) %(objectsize)")
	if err != nil {
		return err
	}
	in.Reset()
	var small []committed
	lines := strings.Split(strings.TrimSuffix(string(sizes), "\n"), "\n")
	for i, c := range l {
		if i >= len(lines) {
			return errNoObject
		}
		kind, size, _ := strings.Cut(lines[i], " ")
		n, err := strconv.ParseInt(size, 10, 64)
		if kind != "blob" || err != nil {
			return errNoObject
		}
		if n > limit {
			if err := take(c, nil); err != nil {
				return err
			}
			continue
		}
		in.WriteString(c.oid + "\n")
		small = append(small, c)
	}
	if len(small) == 0 {
		return nil
	}
	out, err := r.git.Run(ctx, r.dir, in.Bytes(), "cat-file", "--batch=%(objectsize)")
	if err != nil {
		return err
	}
	for _, c := range small {
		head, rest, ok := bytes.Cut(out, []byte("\n"))
		n, err := strconv.Atoi(string(head))
		if !ok || err != nil || len(rest) < n+1 {
			return errNoObject
		}
		if err := take(c, rest[:n]); err != nil {
			return err
		}
		out = rest[n+1:]
	}
	return nil
}

var errNoObject = errors.New("git does not have what was committed any more")
