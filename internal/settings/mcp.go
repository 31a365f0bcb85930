package settings

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// MCPServers are servers of the Model Context Protocol by name.
type MCPServers map[string]MCPServer

// MCPServer is one server as a settings file describes it, in the words of Gemini
// CLI. It has a command, or an address.
type MCPServer struct {
	Command string            `json:"command,omitzero"`
	Args    []string          `json:"args,omitzero"`
	Env     map[string]string `json:"env,omitzero"`
	Cwd     string            `json:"cwd,omitzero"`

	Type    string            `json:"type,omitzero"`    // "stdio", "http" or "sse"; empty: by the other fields
	URL     string            `json:"url,omitzero"`     // of a server with streamable HTTP, or else SSE, unless Type says which
	HTTPURL string            `json:"httpUrl,omitzero"` // of a server with streamable HTTP
	TCP     string            `json:"tcp,omitzero"`     // the address of a WebSocket, which emendo does not speak
	Headers map[string]string `json:"headers,omitzero"`
	// AuthProvider is how Gemini CLI signs in by itself, without the user's login.
	AuthProvider string `json:"authProviderType,omitzero"`
	OAuth        OAuth  `json:"oauth,omitzero"`

	Timeout      float64  `json:"timeout,omitzero"` // of a call, in milliseconds; 0 means the default
	Trust        bool     `json:"trust,omitzero"`
	Sandbox      bool     `json:"sandbox,omitzero"`
	Hosts        []string `json:"hosts,omitzero"` // that it reaches in the sandbox
	Disabled     bool     `json:"disabled,omitzero"`
	Description  string   `json:"description,omitzero"`
	IncludeTools []string `json:"includeTools,omitzero"` // the only tools; nil means all
	ExcludeTools []string `json:"excludeTools,omitzero"`

	Origin Origin `json:"-"`
	Folder string `json:"-"` // the project's folder, for a project's server
	File   string `json:"-"` // where it is configured
}

// OAuth is how the user signs in to a server with an address, as far as the server
// does not say it itself, in the words of Gemini CLI.
type OAuth struct {
	Enabled          bool     `json:"enabled,omitzero"`  // the server needs a login
	ClientID         string   `json:"clientId,omitzero"` // empty: emendo registers itself
	ClientSecret     string   `json:"clientSecret,omitzero"`
	AuthorizationURL string   `json:"authorizationUrl,omitzero"`
	TokenURL         string   `json:"tokenUrl,omitzero"`
	RegistrationURL  string   `json:"registrationUrl,omitzero"`
	Issuer           string   `json:"issuer,omitzero"` // the only one that is accepted
	Scopes           []string `json:"scopes,omitzero"`
	Audiences        []string `json:"audiences,omitzero"`
	RedirectURI      string   `json:"redirectUri,omitzero"`
	TokenParamName   string   `json:"tokenParamName,omitzero"`
}

// MCP selects among the configured servers.
type MCP struct {
	// The only MCP servers to start, by name; empty means all.
	Allowed []string
	// MCP servers not to start, by name. Layers add to the list.
	Excluded []string `how:"joined"`
	// MCP servers of projects that run outside the sandbox with your full permissions, by name.
	// You are asked about them in each session. Layers add to the list.
	Outside []string `key:"mcp.outsideSandbox" how:"joined"`
	// OfProject are the servers of the project's own files. [Settings.MCPServers]
	// has the others.
	OfProject MCPServers `json:"-"`
}

// check returns the first error in the servers.
func (servers MCPServers) check() error {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if field, what := servers[name].mistake(); what != "" && !servers[name].onlyTCP() {
			return &innerError{slices.DeleteFunc([]string{name, field}, func(s string) bool { return s == "" }), what}
		}
	}
	return nil
}

// mistake returns the first field of s that cannot be, and what it must be; empty
// if there is none.
func (s MCPServer) mistake() (field, what string) {
	switch {
	case !slices.Contains([]string{"", "stdio", "http", "sse"}, s.Type):
		return "type", `must be "stdio", "http" or "sse"`
	case s.onlyTCP():
		return "tcp", whyNoTCP
	case s.Command == "" && s.URL == "" && s.HTTPURL == "":
		return "", "must have a command, a url or an httpUrl"
	case s.OAuth.TokenParamName != "":
		return "oauth", "must not have a tokenParamName: emendo sends tokens in the Authorization header alone, since addresses end up in logs"
	case (s.OAuth.AuthorizationURL == "") != (s.OAuth.TokenURL == ""):
		return "oauth", "must have both authorizationUrl and tokenUrl, or neither"
	case s.OAuth.ClientSecret != "" && s.OAuth.ClientID == "":
		return "oauth", "must have a clientId if it has a clientSecret"
	case s.asksForInput():
		return "", "uses ${input:…}, for which VS Code asks its user and emendo does not: set a variable of your environment, and write ${env:NAME} in its place"
	case s.Timeout < 0 || s.Timeout > math.MaxInt32:
		return "timeout", "must be a number of milliseconds"
	}
	return "", ""
}

const whyNoTCP = "is the address of a WebSocket, which emendo does not speak: give the server's url or command"

// onlyTCP reports whether the server has only an address that emendo cannot use, though
// Gemini CLI can.
func (s MCPServer) onlyTCP() bool {
	return s.TCP != "" && s.Command == "" && s.URL == "" && s.HTTPURL == ""
}

// doubt warns about what a server's entry says in vain.
func (servers MCPServers) doubt(string) string {
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		if servers[name].onlyTCP() {
			return fmt.Sprintf("the server %.100q is left out: tcp %s", name, whyNoTCP)
		}
		if kind := servers[name].AuthProvider; kind != "" && kind != "dynamic_discovery" {
			return fmt.Sprintf("the server %.100q has authProviderType %.100q, which emendo does not know: it is ignored; give the token in headers, or sign in with `emendo mcp login`", name, kind)
		}
	}
	return ""
}

// asksForInput reports whether a value of s stands for what VS Code asks its user.
func (s MCPServer) asksForInput() bool {
	texts := slices.Concat([]string{s.Command, s.Cwd, s.URL, s.HTTPURL}, s.Args, slices.Collect(maps.Values(s.Env)), slices.Collect(maps.Values(s.Headers)))
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, "${input:") })
}

// Mistake describes what is wrong with a server; empty if nothing is.
func (s MCPServer) Mistake() string {
	field, what := s.mistake()
	if field != "" {
		return field + " " + what
	}
	return what
}

// add adds a layer's servers to those of weaker layers, of which it replaces those of the
// same name. Projects' servers are kept apart, so they never replace the user's.
func (servers *MCPServers) add(value jsontext.Value, l layer) {
	all := MCPServers{}
	maps.Copy(all, *servers)
	for name, server := range decoded[MCPServers](value) {
		if server.onlyTCP() {
			continue // its warning says so
		}
		server.Origin, server.Folder, server.File = l.origin, l.dir, l.name
		if l.origin == OfProject || l.origin == OfExtension {
			server.Trust = false // only the user marks servers as trusted
		}
		all[name] = server
	}
	*servers = all
}
