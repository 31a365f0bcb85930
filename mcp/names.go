package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
)

// maxName is the longest tool name that all providers accept.
const maxName = 63

// names maps the tools of a session to their names for the model. A tool keeps its
// name for the whole session.
type names struct {
	given map[origin]string
	taken map[string]bool
}

// origin identifies a tool by the names that its server uses.
type origin struct{ server, tool string }

// prefixOf returns how the names of a server's tools begin.
func prefixOf(server string) string { return acceptable("mcp_" + server + "_") }

// rivals returns the prefixes of the servers among others that a name of this server's
// tool may mean as well.
func rivals(plain, prefix, server string, others []string) (l []string) {
	for _, o := range others {
		p := prefixOf(o)
		if o != server && (strings.HasPrefix(plain, p) || strings.HasPrefix(prefix, p)) {
			l = append(l, p)
		}
	}
	return l
}

// assign returns the name of a tool, and whether it got a suffix because the name was
// taken.
func (n *names) assign(server, tool string) (name string, collides bool) {
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

// Intended translates mcp__SERVER__TOOL, the form that some agents use, to the name
// here; mcp__SERVER means all tools of a server. It returns false for any other
// name.
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

// nameOf returns mcp_SERVER_TOOL with characters that all providers accept. If the
// name is too long, a hash replaces its middle.
func nameOf(server, tool string) string {
	name := acceptable("mcp_" + server + "_" + tool)
	if len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	return name[:30] + "-" + hex.EncodeToString(sum[:3]) + "-" + name[len(name)-25:]
}

// notInNames matches a character that not all providers accept.
var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// acceptable replaces the characters that not all providers accept.
func acceptable(name string) string { return notInNames.ReplaceAllString(name, "_") }
