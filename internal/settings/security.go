package settings

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Security is how the user proves who they are, and what is kept from commands.
type Security struct {
	Auth Auth
	// Do not offer to allow calls always, and ignore earlier approvals of this kind: ask about
	// each call that needs approval.
	NoAlways bool `key:"security.disableAlwaysAllow"`
	// Additional environment variables to pass to commands. By default, commands get only
	// variables that are known to be harmless, such as `PATH`, `LANG` and the folders of
	// toolchains. They never get emendo's own credentials.
	KeptVariables []string `key:"security.environmentVariableRedaction.allowed"`
}

// Auth chooses among credentials.
type Auth struct {
	// How to sign in. Empty uses the first credential found; `gateway` allows a base URL without a
	// key.
	SelectedType string
	Google       Google
}

// Network is the way to servers.
type Network struct {
	// The URL of the [proxy](auth.md#proxies-and-certificates) for requests to providers, MCP
	// servers, remote agents and the web, such as `http://proxy.example:3128`. `HTTPS_PROXY` and
	// `HTTP_PROXY` in the environment come first. Requests to this machine never use a proxy.
	Proxy string
	// Hosts, domains and networks that are reached without a proxy, such as `internal.example`,
	// `.corp.example` and `10.0.0.0/8`, beside those in `NO_PROXY`. Layers add to the list.
	NoProxy []string `how:"joined"`
	// A file with certificates of authorities in PEM form, absolute, that are trusted beside those
	// of the system: for proxies and gateways that sign certificates themselves. Certificate
	// checks cannot be turned off.
	CAFile string
	// Your own certificates, by the host that asks for them: `{"gateway.example": {"certificate":
	// "/home/me/me.pem", "key": "/home/me/me.key"}}`. Both are absolute files in PEM form; without
	// `key` both are in one file. `*.example` means the hosts below that domain. No other host is
	// shown a certificate, and pages that the model fetches never are. Layers add to the object.
	ClientCertificates ClientCertificates `object:"an object: hosts to certificates"`
}

// ClientCertificates are certificates by host.
type ClientCertificates map[string]ClientCertificate

// ClientCertificate names the PEM files of a certificate and its key.
type ClientCertificate struct {
	Certificate string `json:"certificate"`
	Key         string `json:"key,omitzero"` // empty: in the same file
}

// Google is a client that the user registered at Google, to sign in with.
type Google struct {
	// The ID of a client of the type "Desktop app" that you registered in the Google Cloud
	// console, for [signing in with Google](auth.md#sign-in-with-google).
	ClientID string `key:"security.auth.google.clientId"`
	// The secret that Google issued for that client. `$NAME` means the value of that variable.
	ClientSecret string
	// The permissions to ask for when signing in with Google; by default those of Google Cloud.
	Scopes []string
}

// check returns the first error in the certificates.
func (certificates ClientCertificates) check() error {
	for _, host := range slices.Sorted(maps.Keys(certificates)) {
		name := strings.TrimPrefix(host, "*.")
		if u, err := url.Parse("https://" + name); err != nil || name == "" || u.Hostname() != strings.Trim(name, "[]") || strings.Contains(name, "*") {
			return &innerError{[]string{host}, "must be a host such as gateway.example or *.example, without a port"}
		}
		c := certificates[host]
		if !filepath.IsAbs(c.Certificate) {
			return &innerError{[]string{host, "certificate"}, fmt.Sprintf("must be an absolute file, not %.100q", c.Certificate)}
		}
		if c.Key != "" && !filepath.IsAbs(c.Key) {
			return &innerError{[]string{host, "key"}, fmt.Sprintf("must be an absolute file, not %.100q", c.Key)}
		}
	}
	return nil
}
