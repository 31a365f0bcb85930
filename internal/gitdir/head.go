package gitdir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/paths"
)

// mostLinks limits how many symbolic refs lead to a commit.
const mostLinks = 5

// Head returns the commit that is checked out; empty before the first one. Where refs are in
// tables, it returns something else that changes with every ref.
func (r Repository) Head() string {
	head := readLine(filepath.Join(r.Git, "HEAD"))
	for range mostLinks {
		ref, ok := strings.CutPrefix(head, "ref:")
		if !ok {
			if IsCommit(head) {
				return head
			}
			return ""
		}
		if ref = strings.TrimSpace(ref); ref == "refs/heads/.invalid" {
			return r.tables()
		}
		head = r.readRef(ref)
	}
	return ""
}

// IsCommit reports whether a head is the name of a commit.
func IsCommit(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// readRef returns what a ref's file has, or the packed refs.
func (r Repository) readRef(name string) string {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return ""
	}
	if is := readLine(filepath.Join(r.Common, filepath.FromSlash(name))); is != "" {
		return is
	}
	for text := range strings.Lines(readStart(filepath.Join(r.Common, "packed-refs"), mostRefs)) {
		if hash, ref, _ := strings.Cut(strings.TrimSpace(text), " "); ref == name {
			return hash
		}
	}
	return ""
}

// tables identifies the tables that have the refs of this work tree and of all.
func (r Repository) tables() string {
	var lists strings.Builder
	for _, dir := range []string{r.Git, r.Common} {
		lists.WriteString(readStart(filepath.Join(dir, "reftable", "tables.list"), longest) + "\x00")
	}
	sum := sha256.Sum256([]byte(lists.String()))
	return "tables " + hex.EncodeToString(sum[:])
}

// Rebasing reports whether a rebase, or a series of patches, waits for its next step.
func (r Repository) Rebasing() bool {
	return paths.Exists(filepath.Join(r.Git, "rebase-merge")) || paths.Exists(filepath.Join(r.Git, "rebase-apply"))
}

// mostMoves limits how much of the log of HEAD is read, in bytes.
const mostMoves = 1 << 20

func (r Repository) logOfHead() string { return filepath.Join(r.Git, "logs", "HEAD") }

// Moves returns the length of the log of HEAD, for [Repository.MovedSince].
func (r Repository) Moves() int64 {
	info, err := os.Lstat(r.logOfHead())
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// LastMove returns when the log of HEAD was last written; zero without a log.
func (r Repository) LastMove() time.Time {
	info, err := os.Lstat(r.logOfHead())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// MovedSince returns the commits that HEAD has moved to since its log had a length. Git may keep
// no log.
func (r Repository) MovedSince(length int64) (commits []string) {
	now := r.Moves()
	if now < length { // git has shortened it
		length = 0
	}
	if now == length {
		return nil
	}
	f, err := paths.OpenRegular(r.logOfHead())
	if err != nil {
		return nil
	}
	defer f.Close()
	b := make([]byte, min(now-length, mostMoves))
	n, _ := f.ReadAt(b, now-int64(len(b))) // what could be read counts
	for line := range bytes.Lines(b[:n]) {
		if fields := bytes.Fields(line); len(fields) > 1 && IsCommit(string(fields[1])) {
			commits = append(commits, string(fields[1]))
		}
	}
	return commits
}

// Holding returns the repository whose work tree has a file. As for git, a .git that is a file
// ends the search, whatever it names.
func Holding(file string) (Repository, bool) {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		info, err := os.Lstat(filepath.Join(dir, ".git"))
		if r, ok := At(dir); ok || err == nil && !info.IsDir() {
			return r, ok
		}
		if dir == filepath.Dir(dir) {
			return Repository{}, false
		}
	}
}
