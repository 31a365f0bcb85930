package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrNoCommit means that a name is not that of a commit.
var ErrNoCommit = errors.New("no such commit")

// bases are where a branch may have left, the likeliest first.
var bases = []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"}

// CommitDiff returns what a commit has changed since its first parent; of HEAD for an empty name.
func (p Program) CommitDiff(ctx context.Context, dir, rev string) ([]byte, error) {
	if rev == "" {
		rev = "HEAD"
	}
	to, err := p.commit(ctx, dir, rev)
	if err != nil {
		return nil, err
	}
	from, err := p.commit(ctx, dir, to+"^")
	if err != nil { // the first commit
		from, err = p.readLine(ctx, dir, "hash-object", "-t", "tree", "--stdin")
	}
	if err != nil {
		return nil, err
	}
	return p.between(ctx, dir, from, to)
}

// BranchDiff returns what the commits of the current branch have changed since it left another
// one; for an empty name since it left the main branch.
func (p Program) BranchDiff(ctx context.Context, dir, base string) ([]byte, error) {
	from, err := p.tipOf(ctx, dir, base)
	if err != nil {
		return nil, err
	}
	if from, err = p.readLine(ctx, dir, "merge-base", from, "HEAD"); err != nil {
		return nil, fmt.Errorf("%w: the branch has no commit in common with %s", ErrNoCommit, base)
	}
	return p.between(ctx, dir, from, "HEAD")
}

// tipOf returns the commit at the tip of the branch that another one has left.
func (p Program) tipOf(ctx context.Context, dir, name string) (string, error) {
	if name != "" {
		return p.commit(ctx, dir, name)
	}
	for _, b := range bases {
		if c, err := p.commit(ctx, dir, b); err == nil {
			return c, nil
		}
	}
	return "", fmt.Errorf("%w: none of %s exists: name the branch that this one has left", ErrNoCommit, strings.Join(bases, ", "))
}

// between returns the diff of two commits.
func (p Program) between(ctx context.Context, dir, from, to string) ([]byte, error) {
	return p.Run(ctx, dir, nil, append(asDiff[:len(asDiff):len(asDiff)], from, to, "--")...)
}

// commit returns the hash of a commit.
func (p Program) commit(ctx context.Context, dir, name string) (string, error) {
	hash, err := "", error(nil)
	if !strings.HasPrefix(name, "-") { // else it would be an option
		hash, err = p.readLine(ctx, dir, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	}
	if err != nil || hash == "" {
		return "", fmt.Errorf("%w: %s", ErrNoCommit, name)
	}
	return hash, nil
}

// readLine returns the line that git prints.
func (p Program) readLine(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := p.Run(ctx, dir, nil, args...)
	return strings.TrimSpace(string(out)), err
}

// NewFiles returns the names of the files below a directory that git neither knows nor ignores,
// as they are in the repository.
func (p Program) NewFiles(ctx context.Context, dir string) ([]string, error) {
	out, err := p.Run(ctx, dir, nil, "ls-files", "--others", "--exclude-standard", "--full-name", "-z")
	if err != nil {
		return nil, err
	}
	var names []string
	for name := range bytes.SplitSeq(bytes.TrimSuffix(out, []byte{0}), []byte{0}) {
		if len(name) > 0 {
			names = append(names, string(name))
		}
	}
	return names, nil
}
