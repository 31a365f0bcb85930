package rewind

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Commit of a repository.
type Commit struct {
	Hash string
	At   time.Time // when it was made, in seconds

	repo *repository
}

// CommitAt returns a commit that is checked out at the top of a work tree, or that was, by its
// name; nil for another one.
func CommitAt(ctx context.Context, g Git, top, name string) (*Commit, error) {
	r, err := open(ctx, g, top)
	if r == nil || err != nil {
		return nil, err
	}
	if r.prefix != "" {
		return nil, fmt.Errorf("%s is not the top of a repository", top)
	}
	out, err := r.git.Run(ctx, top, nil, "rev-list", "--max-count=1", "--format=%H %ct", name, "--")
	if err != nil {
		return nil, err
	}
	_, line, _ := strings.Cut(strings.TrimSpace(string(out)), "\n") // git puts "commit HASH" before it
	hash, seconds, _ := strings.Cut(line, " ")
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("git says nothing of the commit %s", name)
	}
	r.head = hash
	return &Commit{Hash: hash, At: time.Unix(at, 0), repo: r}, nil
}

// Committed is a file in a commit.
type Committed struct {
	// Same: git finds the same on disk.
	Same bool
	// Bytes are those that git would write on disk; nil if they are not known.
	Bytes []byte
	// Loose: git does not tell line ends apart.
	Loose bool
}

// Files returns what the commit has of files, by their paths from the top. Of those for which
// wanted is true, and of those that are not the same on disk, it has the bytes. It leaves out what
// is no file there.
func (c *Commit) Files(ctx context.Context, names []string, wanted func(string) bool) (map[string]*Committed, error) {
	there, err := c.list(ctx, names)
	if err != nil || len(there) == 0 {
		return nil, err
	}
	changed, err := c.repo.changedSince(ctx)
	if err != nil {
		return nil, err
	}
	differs := map[string]bool{}
	for _, f := range changed {
		differs[f.rel] = true
	}
	files := map[string]*Committed{}
	var read []committed
	for _, f := range there {
		files[f.rel] = &Committed{Same: !differs[f.rel]}
		if differs[f.rel] || wanted(f.rel) {
			read = append(read, f)
		}
	}
	if err := c.repo.attributes(ctx, read); err != nil {
		return nil, err
	}
	for _, f := range read {
		files[f.rel].Loose = f.loose
	}
	read = slices.DeleteFunc(read, func(f committed) bool { return f.gap != "" })
	return files, c.repo.read(ctx, read, MaxFile, func(f committed, data []byte) error {
		files[f.rel].Bytes = slices.Clone(data)
		return nil
	})
}

// Has reports which of the paths from the top are files in the commit.
func (c *Commit) Has(ctx context.Context, names []string) (map[string]bool, error) {
	there, err := c.list(ctx, names)
	has := map[string]bool{}
	for _, f := range there {
		has[f.rel] = true
	}
	return has, err
}

// mostNames limits how many files git is asked for at once: the arguments of a program are
// bounded.
const mostNames = 500

// list returns those of the paths that are files in the commit.
func (c *Commit) list(ctx context.Context, names []string) (l []committed, err error) {
	for some := range slices.Chunk(names, mostNames) {
		out, err := c.repo.git.Run(ctx, c.repo.dir, nil, append([]string{"ls-tree", "-z", "--full-tree", c.Hash, "--"}, some...)...)
		if err != nil {
			return nil, err
		}
		for record := range strings.SplitSeq(string(out), "\x00") { // "mode blob hash\tpath"
			about, name, _ := strings.Cut(record, "\t")
			fields := strings.Fields(about)
			if len(fields) == 3 && strings.HasPrefix(fields[0], "100") {
				l = append(l, committed{rel: name, oid: fields[2]})
			}
		}
	}
	return l, nil
}
