package briefing

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/emendo-dev/emendo/internal/paths"
)

// RepositoryOf returns the nearest git repository that contains dir and the path of its
// git data; both are empty if there is none. It starts no process.
func RepositoryOf(dir string) (root, data string) {
	for at := filepath.Clean(dir); ; {
		entry := filepath.Join(at, ".git")
		switch info, err := os.Lstat(entry); {
		case err != nil:
		case info.IsDir():
			return at, entry
		case info.Mode().IsRegular(): // of a worktree, or a submodule
			to, ok := strings.CutPrefix(firstLine(entry), "gitdir: ")
			if !ok {
				return at, ""
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(at, to)
			}
			return at, to
		}
		up := filepath.Dir(at)
		if up == at {
			return "", ""
		}
		at = up
	}
}

// branchOf returns the branch that is checked out in a folder's repository, or the
// start of the commit's hash if HEAD is detached; empty if there is no repository.
func branchOf(dir string) string {
	_, data := RepositoryOf(dir)
	if data == "" {
		return ""
	}
	head := firstLine(filepath.Join(data, "HEAD"))
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return name
	}
	if len(head) >= 40 && strings.Trim(head, "0123456789abcdef") == "" {
		return "none, at commit " + head[:12]
	}
	return ""
}

// firstLine returns the first line of a small regular file; empty where it
// cannot be read.
func firstLine(path string) string {
	if !paths.IsFile(path) {
		return ""
	}
	b, err := paths.ReadRegular(path, 1<<10)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}
