package git

import (
	"context"
	"os"
)

// asDiff are arguments for diffs of a form that no setting changes: names have the
// prefixes a/ and b/, and renamed files both of their names. No program runs to
// show a file, and nothing inside of submodules is looked at.
var asDiff = []string{
	"diff", "-O" + os.DevNull, "--patch", "--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--no-relative", "--src-prefix=a/", "--dst-prefix=b/",
	"--unified=3", "--inter-hunk-context=0", "--submodule=short", "--ignore-submodules=dirty",
}

// Diff returns what is staged in the repository of a directory, or what differs
// from its last commit, staged or not, as a unified diff; empty if nothing does.
// paths, absolute and literal, limit it to these files or folders.
func (p Program) Diff(ctx context.Context, dir string, staged bool, paths []string) ([]byte, error) {
	safe, err := p.WithoutFilters(ctx, dir) // to compare files on disk git would run them
	if err != nil {
		return nil, err
	}
	args := asDiff
	if staged {
		args = append(args[:len(args):len(args)], "--cached")
	} else if _, err := safe.Run(ctx, dir, nil, "rev-parse", "--verify", "--quiet", "HEAD"); err == nil {
		args = append(args[:len(args):len(args)], "HEAD")
	}
	args = append(args[:len(args):len(args)], "--")
	for _, path := range paths {
		args = append(args, ":(literal)"+path)
	}
	return safe.Run(ctx, dir, nil, args...)
}
