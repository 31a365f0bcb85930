package provider

import (
	"net/url"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/settings"
)

// Network returns the ways to servers that the settings and the environment describe.
// The redactor learns the password of the proxy.
func Network(s settings.Network, env func(string) string, secrets *redact.Redactor) *network.Network {
	if u, err := url.Parse(s.Proxy); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			secrets.Learn(redact.Secret{Name: "network.proxy", Value: password})
		}
	}
	c := network.Config{Proxy: s.Proxy, NoProxy: s.NoProxy, CAFile: s.CAFile, Env: env, Identities: map[string]network.Identity{}}
	for host, own := range s.ClientCertificates {
		c.Identities[host] = network.Identity{Certificate: own.Certificate, Key: own.Key}
	}
	return network.New(c)
}
