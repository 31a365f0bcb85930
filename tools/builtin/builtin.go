// Package builtin lists emendo's own tools. Rules, agents, the hints for misspelled names
// and the masking of old results ask it what a name means, so that a tool declares all of
// that in its spec. It knows nothing of the tools of MCP servers.
package builtin

import (
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/code"
	"github.com/emendo-dev/emendo/tools/patch"
	"github.com/emendo-dev/emendo/tools/shell"
	"github.com/emendo-dev/emendo/tools/tracker"
	"github.com/emendo-dev/emendo/tools/user"
	"github.com/emendo-dev/emendo/tools/web"
)

// Tools returns the tools of every session. Those that ask language servers are in
// [code.Offered], and the agent has those of specs.go.
func Tools(commands shell.Options, network web.Options) []tools.Tool {
	return slices.Concat(tools.All(), []tools.Tool{patch.Tool}, user.All(), shell.All(commands), web.All(network), tracker.All())
}

// Specs returns the specs of all tools. Their descriptions are those of default settings.
var Specs = sync.OnceValue(func() []tools.Spec {
	specs := func(l []tools.Tool) []tools.Spec {
		all := make([]tools.Spec, len(l))
		var deriving sync.WaitGroup // of schemas, which takes two milliseconds one after the other
		for i, t := range l {
			deriving.Go(func() { all[i] = t.Spec() })
		}
		deriving.Wait()
		return all
	}
	return slices.Concat(specs(code.All()), elsewhere, specs(Tools(shell.Options{}, web.Options{})))
})

// Names returns the names of the tools.
var Names = sync.OnceValue(func() []string {
	var l []string
	for _, s := range Specs() {
		l = append(l, s.Name)
	}
	return l
})

// Of returns the spec of the tool with that name; the zero value if there is none.
func Of(name string) tools.Spec { return byName()[name] }

var byName = sync.OnceValue(func() map[string]tools.Spec {
	m := map[string]tools.Spec{}
	for _, s := range Specs() {
		m[s.Name] = s
	}
	return m
})

// namesFor returns a map from each of the names that a field of the specs has to the name
// of its tool.
func namesFor(field func(tools.Spec) []string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for _, s := range Specs() {
			for _, name := range field(s) {
				m[name] = s.Name
			}
		}
		return m
	})
}

// Maps from other names to those of the tools, see the fields of [tools.Spec].
var (
	FormerNames    = namesFor(func(s tools.Spec) []string { return s.FormerNames })
	ClaudeNames    = namesFor(func(s tools.Spec) []string { return s.ClaudeNames })
	EditorCommands = namesFor(func(s tools.Spec) []string { return s.EditorCommands })
)

// Similar returns the tool that does what another agent's tool with that name does; empty
// if none is known.
func Similar(name string) string {
	return similar()[Plain(name)]
}

// Plain returns a name in small letters, without what separates its words.
func Plain(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(name))
}

var similar = namesFor(func(s tools.Spec) []string { return s.Similar })
