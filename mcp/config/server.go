package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/emendo-dev/emendo/internal/paths"
	"github.com/emendo-dev/emendo/internal/settings"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/internal/trust"
)

// A Server is a configured server. Variables in it are not expanded.
type Server struct {
	Name      string
	Transport Transport

	Command string // of a server with [Stdio]: a program, and its arguments
	Args    []string
	Env     map[string]string // added to its environment
	// Dir is its working directory, absolute; empty: a private folder, or what Cwd says.
	Dir string
	// Cwd is its working directory if that has variables, which are not replaced. It may
	// be relative to Folder.
	Cwd    string
	Folder string // that relative folders are relative to, absolute

	URL     string // of a server with another transport
	Headers map[string]string
	OAuth   settings.OAuth // how the user signs in to it

	Timeout     time.Duration // of a call; 0 means the default
	Trust       bool          // the user marks it as trusted
	Sandbox     bool          // it starts in the sandbox alone
	Confined    bool          // it runs in the sandbox if there is one: it is a project's
	Hosts       []string      // that it reaches in the sandbox
	Disabled    bool
	Description string
	Include     []string // its only tools; nil means all
	Exclude     []string // tools of it that are not offered

	// Own: it is in emendo's own settings of the user or the administrator, so it
	// starts without approval.
	Own bool
	// Project is the folder whose own file configures it; empty if the user does.
	Project string
	File    string // where it is configured
	// Extension is the name of the extension that has it; empty: none.
	Extension string
	// Home is the folder of that extension if the user installed it; empty: a project has
	// it.
	Home string
	// Client: the user's editor has handed it over, as it is.
	Client bool
	// HiddenBy is the file with the server of the same name that is used instead;
	// empty if this one is.
	HiddenBy string
}

// maxName limits the length of a server's name.
const maxName = 64

var goodName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._:@/+-]*$`)

// CheckName returns an error if a server cannot have that name. Rules use * for any
// name.
func CheckName(name string) error {
	if len(name) > maxName || !goodName.MatchString(name) {
		return fmt.Errorf("invalid name %.80q: want 1 to %d letters, digits, spaces and . _ : @ / + -, beginning with a letter or digit", name, maxName)
	}
	return nil
}

// Transport is how messages reach a server.
type Transport string

// The transports.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http" // streamable HTTP
	SSE   Transport = "sse"
	Auto  Transport = "auto" // HTTP, or SSE if the server does not speak HTTP
)

// newServer returns a server of a settings file. Relative folders are relative to
// folder, absolute.
func newServer(name string, s settings.MCPServer, folder string) Server {
	c := Server{
		Name: name, Command: s.Command, Args: s.Args, Env: s.Env, Dir: s.Folder, Hosts: s.Hosts, URL: cmp.Or(s.HTTPURL, s.URL), Headers: s.Headers, OAuth: s.OAuth,
		Timeout: time.Duration(s.Timeout * float64(time.Millisecond)), Trust: s.Trust, Sandbox: s.Sandbox, Disabled: s.Disabled,
		Description: s.Description, Include: s.IncludeTools, Exclude: s.ExcludeTools, File: s.File, Project: s.Folder,
		Own: s.Origin != settings.OfProject, Folder: folder,
	}
	switch {
	case s.Cwd == "":
	case strings.Contains(s.Cwd, "${"):
		c.Dir, c.Cwd = "", s.Cwd
	case filepath.IsAbs(s.Cwd):
		c.Dir = s.Cwd
	default:
		c.Dir = filepath.Join(folder, s.Cwd)
	}
	switch {
	case s.Command != "":
		c.Transport, c.URL, c.Headers, c.OAuth = Stdio, "", nil, settings.OAuth{}
		c.Confined = s.Folder != ""
	case s.Type == "sse":
		c.Transport = SSE
	case s.Type == "" && s.HTTPURL == "":
		c.Transport = Auto
	default:
		c.Transport = HTTP
	}
	return c
}

// Entry returns the server as the entry that must be approved before it starts, with
// the variables of env.
func (s Server) Entry(env func(string) string) trust.Entry {
	e := trust.Entry{Kind: trust.Server, Name: s.Name, Command: s.Command, Args: s.Args, Env: s.Env, URL: s.URL, Headers: s.Headers, Home: s.Home}
	if s.Command != "" {
		e.Sandboxed = s.Sandbox || s.Confined
		e.Outside = !e.Sandboxed
	}
	if s.Command != "" && s.Dir != s.Project {
		e.Dir = s.Dir
	}
	if s.Cwd != "" {
		e.Dir = s.Cwd
	}
	if e.Sandboxed {
		e.Hosts = s.Hosts
	}
	switch {
	case s.Client:
		e.By = ofClient
	case s.Project == "":
		e.File = s.File
	}
	if s.Command == "" {
		return e
	}
	x := s.Expanded(env, nil)
	e.Private = x.Dir == ""
	if x.Dir != "" && (s.Project != "" || s.Folder != "" && paths.Within(x.Dir, s.Folder)) { // else nothing of the workspace is near
		e.Unseen = shellcmd.IndirectProgram(append([]string{x.Command}, x.Args...), x.Dir, x.Env)
	}
	means := func(text, expanded string) {
		if expanded != text && expanded != "" {
			e.Means = append(e.Means, expanded)
		}
	}
	means(s.Command, x.Command)
	if s.Cwd != "" {
		means(s.Cwd, x.Dir)
	}
	if !slices.Equal(s.Args, x.Args) {
		e.ArgMeans = x.Args
	}
	for _, name := range slices.Sorted(maps.Keys(s.Env)) {
		means(s.Env[name], x.Env[name])
	}
	return e
}

// AsksForCwd returns the argument by which a server of the user's, which starts in a
// private folder, seems to mean a file of the session's folder; empty if none does.
func (s Server) AsksForCwd(env func(string) string) string {
	x := s.Expanded(env, nil)
	if s.Command == "" || x.Dir != "" || s.Folder == "" {
		return ""
	}
	for i, a := range append([]string{x.Command}, x.Args...) {
		dotted := a == "." || a == ".." || strings.HasPrefix(a, "./") || strings.HasPrefix(a, "../")
		if dotted || i > 0 && a != "" && !strings.HasPrefix(a, "-") && filepath.IsLocal(a) && paths.IsFile(filepath.Join(s.Folder, a)) {
			return a
		}
	}
	return ""
}

// users reports whether the user configures the server.
func (s Server) users() bool { return s.Project == "" && s.Extension == "" && !s.Client }

// ofClient names where a server of the client is configured.
const ofClient = "Your editor"

// OfClient returns a server that the user's editor has handed over for a session that
// works in folder.
func OfClient(s Server, folder string) Server {
	s.Folder, s.File, s.Client = folder, ofClient, true
	return s
}

// SignIn returns how the user signs in to the server. Of the server of a project
// or an extension only what names neither a secret nor another address counts; ignored
// has the rest.
func (s Server) SignIn() (o settings.OAuth, ignored []string) {
	if s.users() {
		return s.OAuth, nil
	}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"clientSecret", s.OAuth.ClientSecret != ""},
		{"authorizationUrl", s.OAuth.AuthorizationURL != ""},
		{"tokenUrl", s.OAuth.TokenURL != ""},
		{"registrationUrl", s.OAuth.RegistrationURL != ""},
		{"issuer", s.OAuth.Issuer != ""},
		{"audiences", len(s.OAuth.Audiences) > 0},
		{"redirectUri", s.OAuth.RedirectURI != ""},
	} {
		if f.set {
			ignored = append(ignored, f.name)
		}
	}
	return settings.OAuth{Enabled: s.OAuth.Enabled, ClientID: s.OAuth.ClientID, Scopes: s.OAuth.Scopes}, ignored
}

// Target describes what the server is, in one line: its command line or address.
func (s Server) Target() string {
	if s.Command == "" {
		return s.URL
	}
	return strings.Join(append([]string{s.Command}, s.Args...), " ")
}

// Offers reports whether the configuration lets the model have a tool of the
// server, by the server's name for it.
func (s Server) Offers(tool string) bool {
	named := func(list []string) bool {
		for _, n := range list {
			if name, _, _ := strings.Cut(n, "("); name == tool {
				return true
			}
		}
		return false
	}
	return (s.Include == nil || named(s.Include)) && !named(s.Exclude)
}
