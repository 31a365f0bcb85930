package settings

import (
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Agents says which agents the model can hand tasks to.
type Agents struct {
	Enabled  bool
	Disabled []string // their names
	// Tokens are the bearer tokens of remote agents by origin. $NAME means the value of
	// that variable.
	Tokens AgentTokens
}

// AgentTokens are bearer tokens by origin.
type AgentTokens map[string]string

var agentSettings = []setting{
	{
		key:     "agents.enabled",
		doc:     "Let the model hand tasks to [agents](agents.md).",
		scope:   anyone,
		initial: true,
	},
	{
		key:    "agents.disabled",
		doc:    "Names of agents not to offer. Layers add to the list.",
		scope:  anyone,
		joined: true,
	},
	{
		key: "agents.tokens",
		doc: "Bearer tokens of [remote agents](agents.md#remote-agents) by origin: `{\"https://agents.example\": \"$AGENT_TOKEN\"}`. `$NAME` means the value of that variable, and an empty string means no token. " +
			"Agents of these origins may also be on a network that is not public. Layers add to the object.",
		object: "an object: origins to tokens",
	},
}

// check returns the first error in the tokens.
func (tokens AgentTokens) check() error {
	for _, name := range slices.Sorted(maps.Keys(tokens)) {
		u, err := url.Parse(name)
		if err != nil || u.Host == "" || name != strings.ToLower(u.Scheme+"://"+u.Host) {
			return &innerError{[]string{name}, "must be an origin such as https://agents.example, in lower case, without a path"}
		}
		a, err := netip.ParseAddr(u.Hostname())
		if local := u.Hostname() == "localhost" || err == nil && a.IsLoopback(); u.Scheme != "https" && (u.Scheme != "http" || !local) {
			return &innerError{[]string{name}, "must be an origin with https, or with http on this machine"}
		}
	}
	return nil
}
