package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// maxName is the length of a tool's name that all providers take.
const maxName = 63

// names are the names of the tools of a session for the model. A tool keeps its name
// as long as the session lasts.
type names struct {
	given map[origin]string
	taken map[string]bool
}

// origin is a tool as its server knows it.
type origin struct{ server, tool string }

// of returns the name of a tool, and whether it has a suffix because another tool
// has the name already.
func (n *names) of(server, tool string) (name string, collides bool) {
	if n.given == nil {
		n.given, n.taken = map[origin]string{}, map[string]bool{}
	}
	plain := nameOf(server, tool)
	if name, ok := n.given[origin{server, tool}]; ok {
		return name, name != plain
	}
	name = plain
	for i := 2; n.taken[name]; i++ {
		suffix := "_" + strconv.Itoa(i)
		name = plain[:min(len(plain), maxName-len(suffix))] + suffix
	}
	n.given[origin{server, tool}], n.taken[name] = name, true
	return name, name != plain
}

// Intended returns the name that a tool has here for the name mcp__SERVER__TOOL that
// some agents give it; mcp__SERVER is all tools of a server. It reports false for any
// other name.
func Intended(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, "mcp__")
	if !ok {
		return "", false
	}
	server, tool, whole := strings.Cut(rest, "__")
	if !whole || tool == "*" {
		return nameOf(server, "") + "*", true
	}
	return nameOf(server, tool), true
}

// nameOf returns mcp_SERVER_TOOL with the characters that all providers take. Of a
// name that is too long the middle is replaced by a hash.
func nameOf(server, tool string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, "mcp_"+server+"_"+tool)
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	return name[:30] + "-" + hex.EncodeToString(sum[:3]) + "-" + name[len(name)-25:]
}
