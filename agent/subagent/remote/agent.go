package remote

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/tools"
)

// An Agent is a remote agent as a file defines it.
type Agent struct {
	Name string
	Card string // address of its card; see [ParseCard]
	// JSON is the card where the file has it; Card is the agent's own address then.
	JSON string
	Auth Auth // the zero value: by the user's settings
	// Own: a file of the user's own defines it. It may be on a network that is not
	// public, and have a credential.
	Own     bool
	Timeout time.Duration // of a task, without the time in which the user is asked
}

// Auth is a credential that a file of the user's own names.
type Auth struct {
	Header string // that has it
	Prefix string // before the value, such as "Bearer "
	Value  string // $NAME means the value of that variable
}

// Options are the user's settings for all agents.
type Options struct {
	// Tokens maps origins, such as "https://agents.example", to bearer tokens, where
	// $NAME means the value of that variable. An origin with an empty token needs none.
	// Agents of these origins may be on a network that is not public.
	Tokens  map[string]string
	Env     func(name string) string
	Network *network.Network // the way to agents
	// Learn is given each credential before it is used, so that it appears nowhere.
	Learn   func(secret string)
	Version string // of emendo
}

// maxAddress bounds the address of a card, in bytes.
const maxAddress = 2000

// ParseCard checks the address of a card: https, or http on this machine.
func ParseCard(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || len(address) > maxAddress:
		return nil, errors.New("not the URL of an agent card")
	case u.User != nil:
		return nil, errors.New("the URL has a user name or password; use auth or the setting agents.tokens")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		u.Fragment = ""
		return u, nil
	}
	return nil, errors.New("want an https URL, or http on this machine")
}

// ReadCard checks a card and returns the address at which it offers JSON-RPC.
func ReadCard(text string) (address string, err error) {
	card, err := readCard([]byte(text))
	if err != nil {
		return "", err
	}
	for _, i := range interfaces(card) {
		if i.Transport == a2a.TransportProtocolJSONRPC {
			u, err := ParseCard(i.URL)
			if err != nil {
				return "", fmt.Errorf("the address %s: %w", tools.ShownLine(i.URL, 200), err)
			}
			return u.String(), nil
		}
	}
	return "", errNoJSONRPC
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

// origin returns what a credential belongs to: scheme, host and port.
func origin(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

// credential returns the header that authenticates requests to the agent; an empty
// name means none.
func (a Agent) credential(at *url.URL, o Options) (name, value string, err error) {
	auth := a.Auth
	if token := o.Tokens[origin(at)]; token != "" {
		auth = Auth{Header: "Authorization", Prefix: "Bearer ", Value: token}
	}
	secret := auth.Value
	if variable, ok := strings.CutPrefix(secret, "$"); ok {
		if secret = o.Env(variable); secret == "" {
			return "", "", fmt.Errorf("its credential is in the variable %s, which is not set", variable)
		}
	}
	if secret == "" {
		return "", "", nil
	}
	if strings.ContainsAny(secret, "\r\n\x00") {
		return "", "", errors.New("its credential has more than one line")
	}
	o.Learn(secret)
	return auth.Header, auth.Prefix + secret, nil
}
