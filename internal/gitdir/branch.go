package gitdir

import (
	"path/filepath"
	"strings"
)

// Branch returns the branch that is checked out, or the start of the commit's hash if HEAD is
// detached; empty if HEAD is neither.
func (r Repository) Branch() string {
	if r.Git == "" {
		return ""
	}
	head := readLine(filepath.Join(r.Git, "HEAD"))
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return name
	}
	if len(head) >= 40 && strings.Trim(head, "0123456789abcdef") == "" {
		return "none, at commit " + head[:12]
	}
	return ""
}
