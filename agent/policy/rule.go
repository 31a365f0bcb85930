package policy

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/tools"
)

// Tier is who wrote a rule, from the weakest.
type Tier int

// The tiers.
const (
	OfEmendo  Tier = iota // built in
	OfProject             // a trusted folder's own; it can only make decisions stricter
	OfUser
	OfAdmin
)

// A Rule decides about the calls that match all of its conditions. An empty
// condition matches everything.
type Rule struct {
	Tier Tier
	File string // its file; empty if it is in none
	Line int    // one-based
	Name string

	Tools       []string // names; * matches anything
	Server      string   // MCP server; * for any
	Subagent    string
	Annotations map[string]any
	Args        *regexp.Regexp // matches anywhere in the arguments, see [argumentText]
	Prefixes    [][]string     // words that a command begins with
	Command     *regexp.Regexp // matches the beginning of a command
	Modes       []Mode         // empty for all
	Interactive *bool          // whether a user is available
	opens       opening        // what Command, or Args about a command, can begin with
	opened      bool           // there is one of them

	Decision  Kind
	Priority  int  // 0 to 999
	Redirects bool // an allowed command may also write files by redirection
	Message   string

	// The fields below are set only in built-in rules and in rules made from
	// answers and settings.

	Effects []string   // kinds of effects
	Sandbox bool       // only where commands run in a sandbox
	Outside bool       // of an answer: the question said that the command runs outside the sandbox
	Dir     string     // only commands that run there, absolute
	Whole   Line       // only this exact command; the zero value for any
	Ends    bool       // only parts without words after those of Prefixes
	Except  []string   // all tools but these
	Unless  [][]string // all commands but those with these prefixes
	// Definition restricts the rule to tools of MCP servers with this definition.
	Definition string
	Marked     bool      // only tools of MCP servers that the user trusts
	Added      time.Time // of an answer: when it was given; zero if that is not known
	Answer     bool      // an answer of the user's: it cannot lift a denial
}

// String returns the rule's name as the user finds it.
func (r *Rule) String() string {
	switch {
	case r == nil:
		return "no rule"
	case r.File == "":
		return r.Name
	case r.Name == "":
		return fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	return fmt.Sprintf("%s (%s:%d)", r.Name, r.File, r.Line)
}

// narrow reports whether the rule depends on arguments.
func (r *Rule) narrow() bool { return r.Args != nil || r.Command != nil || len(r.Prefixes) > 0 }

// aboutCommands reports whether the rule matches the text of commands.
func (r *Rule) aboutCommands() bool { return r.Command != nil || len(r.Prefixes) > 0 }

// concerns reports whether the rule can apply to such a call, whatever its
// arguments are.
func (r *Rule) concerns(c Call) bool {
	switch {
	case len(r.Modes) > 0 && !slices.Contains(r.Modes, c.Mode),
		r.Interactive != nil && *r.Interactive != c.Asks,
		r.Subagent != "" && r.Subagent != c.Subagent,
		r.Sandbox && !c.Shell.holds(),
		r.Server != "" && !r.ofServer(c),
		r.Server == "" && len(r.Tools) > 0 && !r.means(c),
		r.Definition != "" && r.Definition != c.definition(),
		r.Answer && r.Definition == "" && r.Decision == Allow && c.activates(), // an answer by an earlier version, which named the skill alone
		r.Marked && (c.Server == nil || !c.Server.Trusted),
		len(r.Except) > 0 && matchesAny(r.Except, c.Tool),
		len(r.Effects) > 0 && !slices.Contains(r.Effects, tools.TraitsOf(c.Effect).Name),
		r.Decision == Allow && r.Tier != OfEmendo && tools.TraitsOf(c.Effect).Name == "samples" && !slices.Contains(r.Tools, tools.Sampling): // all tools of a server do not include it
		return false
	}
	return r.annotated(c)
}

// means reports whether the rule's names mean the tool of a call. Of a tool of an MCP
// server, whose name another server's tool may have too, a rule that allows must mean
// exactly this one, and for any other rule it is enough that it may.
func (r *Rule) means(c Call) bool {
	if c.Server == nil || c.Server.Plain == "" {
		return matchesAny(r.Tools, c.Tool) || r.meansParts(c)
	}
	if r.Decision != Allow {
		return matchesAny(r.Tools, c.Tool) || matchesAny(r.Tools, c.Server.Plain)
	}
	return slices.ContainsFunc(r.Tools, func(name string) bool { return allows(name, c) })
}

// meansParts reports whether the rule's names mean the tools of the calls that a call
// stands for: all of them in a rule that allows, and one in any other.
func (r *Rule) meansParts(c Call) bool {
	parts := c.parts()
	means := func(p tools.Part) bool { return matchesAny(r.Tools, p.Tool) }
	if r.Decision == Allow {
		return len(parts) > 0 && !slices.ContainsFunc(parts, func(p tools.Part) bool { return !means(p) })
	}
	return slices.ContainsFunc(parts, means)
}

// parts returns the calls of other tools that a call stands for; none if it is one of its
// own kind.
func (c *Call) parts() []tools.Part {
	e, _ := c.Effect.(tools.Edits)
	return e.Parts
}

// allows reports whether a name in a rule that allows means the tool of an MCP server of a
// call, and cannot mean one of another server.
func allows(name string, c Call) bool {
	begin, _, whole := strings.Cut(name, "*")
	if !whole && c.Server.Shared || !matches(name, c.Tool) {
		return false
	}
	own := strings.HasPrefix(begin, c.Server.Prefix)
	return !slices.ContainsFunc(c.Server.Rivals, func(rival string) bool {
		return strings.HasPrefix(begin, rival) && (!own || len(rival) >= len(c.Server.Prefix))
	})
}

func (r *Rule) annotated(c Call) bool {
	for key, want := range r.Annotations {
		if c.Server == nil {
			return false
		}
		if have, ok := c.Server.Annotations[key]; !ok || fmt.Sprint(have) != fmt.Sprint(want) {
			return false
		}
	}
	return true
}

// ofServer reports whether a tool belongs to an MCP server that the rule names. Where
// only the tool's name is known, it is taken apart: such tools are called
// mcp_SERVER_TOOL.
func (r *Rule) ofServer(c Call) bool {
	server := r.Server
	if c.Server != nil {
		return (server == "*" || server == c.Server.Server) && (len(r.Tools) == 0 || slices.ContainsFunc(r.Tools, func(name string) bool {
			return (matches(name, c.Tool) || matches(name, c.Server.Plain)) && strings.HasPrefix(name, "mcp_") || matches(name, c.Server.Tool)
		}))
	}
	if !matches("mcp_"+server+"_*", c.Tool) {
		return false
	}
	return len(r.Tools) == 0 || slices.ContainsFunc(r.Tools, func(name string) bool {
		return matches(name, c.Tool) && strings.HasPrefix(name, "mcp_") || matches("mcp_"+server+"_"+name, c.Tool)
	})
}

func matchesAny(patterns []string, tool string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, tool) })
}

// matches compares a name with a pattern in which * matches any characters.
func matches(pattern, name string) bool {
	pieces := strings.Split(pattern, "*")
	first, last := pieces[0], pieces[len(pieces)-1]
	if len(pieces) == 1 {
		return pattern == name
	}
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, piece := range pieces[1 : len(pieces)-1] { // the first match leaves most for the other pieces
		_, after, found := strings.Cut(name, piece)
		if !found {
			return false
		}
		name = after
	}
	return true
}

// decidesSame reports whether two rules decide the same about the same calls, so that
// one replaces the other.
func (r *Rule) decidesSame(o *Rule) bool {
	return r.Decision == o.Decision && r.Interactive == nil && o.Interactive == nil && slices.Equal(r.Tools, o.Tools) && r.Server == o.Server && expression(r.Args) == expression(o.Args) && expression(r.Command) == expression(o.Command) &&
		slices.EqualFunc(r.Prefixes, o.Prefixes, slices.Equal) && r.Dir == o.Dir && r.Whole == (Line{}) && o.Whole == (Line{}) && r.Ends == o.Ends && r.Sandbox == o.Sandbox && r.Outside == o.Outside && r.Definition == o.Definition && r.Subagent == o.Subagent &&
		maps.Equal(words(r.Annotations), words(o.Annotations))
}

func expression(r *regexp.Regexp) string {
	if r == nil {
		return ""
	}
	return r.String()
}

func words(m map[string]any) map[string]string {
	out := map[string]string{}
	for k, v := range m {
		out[k] = fmt.Sprint(v)
	}
	return out
}

// mentions reports whether a rule names one of these files or directories
// literally.
func (r *Rule) mentions(names []string) bool {
	conditions := []string{plain(expression(r.Args)), plain(expression(r.Command))}
	for _, p := range r.Prefixes {
		conditions = append(conditions, strings.ToLower(strings.Join(p, " ")))
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return slices.ContainsFunc(conditions, func(s string) bool { return holdsName(s, strings.ToLower(name)) })
	})
}

// holdsName reports whether s contains a name that ends there.
func holdsName(s, name string) bool {
	for from := 0; name != ""; {
		i := strings.Index(s[from:], name)
		if i < 0 {
			return false
		}
		from += i + len(name)
		if from == len(s) || !strings.ContainsAny(s[from:from+1], "abcdefghijklmnopqrstuvwxyz0123456789_-") {
			return true
		}
	}
	return false
}

// classes holds the escapes of expressions that match more than one character.
var classes = regexp.MustCompile(`\\[bBAzdDwWsSQE]`)

// plain returns an expression in lower case with escaped characters replaced by
// themselves.
func plain(s string) string {
	return strings.ToLower(strings.ReplaceAll(classes.ReplaceAllString(s, " "), `\`, ""))
}
