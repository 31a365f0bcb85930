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
	// Let the model hand tasks to [agents](agents.md).
	Enabled bool `default:"true" scope:"any"`
	// Names of agents not to offer. Layers add to the list.
	Disabled []string `scope:"any" how:"joined"`
	// Bearer tokens of [remote agents](agents.md#remote-agents) by origin:
	// `{"https://agents.example": "$AGENT_TOKEN"}`. `$NAME` means the value of that variable, and
	// an empty string means no token. Agents of these origins may also be on a network that is not
	// public. Layers add to the object.
	Tokens AgentTokens `object:"an object: origins to tokens"`
}

// AgentTokens are bearer tokens by origin.
type AgentTokens map[string]string

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
