package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"

	"github.com/emendo-dev/emendo/internal/network"
	"github.com/emendo-dev/emendo/internal/sandbox/proxy"
	"github.com/emendo-dev/emendo/tools"
)

// Limits of a connection.
const (
	maxCard  = 1 << 20  // bytes
	maxBody  = 64 << 20 // bytes of one response, a stream included
	cardTime = 30 * time.Second
	dialTime = 10 * time.Second
)

// A link is a connection to an agent.
type link struct {
	client    *a2aclient.Client
	transport *http.Transport
}

// open fetches the agent's card and returns a connection. Nothing else is sent.
func (a Agent) open(ctx context.Context, o Options) (*link, error) {
	at, err := ParseCard(a.Card)
	if err != nil {
		return nil, fmt.Errorf("its address %s: %w", tools.ShownLine(a.Card, 200), err)
	}
	name, value, err := a.credential(at, o)
	if err != nil {
		return nil, err
	}
	_, named := o.Tokens[origin(at)]
	transport, err := newTransport(at, a.Own || named, o)
	if err != nil {
		return nil, err
	}
	client := &http.Client{
		Transport:     sender{origin: origin(at), header: name, value: value, agent: "emendo/" + o.Version, network: o.Network, next: transport},
		CheckRedirect: network.SameServer,
	}
	var card *a2a.AgentCard
	if a.JSON != "" {
		card, err = readCard([]byte(a.JSON))
	} else {
		card, err = fetchCard(ctx, client, at)
	}
	if err == nil {
		err = usable(card, at)
	}
	if err != nil {
		transport.CloseIdleConnections()
		return nil, err
	}
	c, err := a2aclient.NewFromCard(ctx, card, a2aclient.WithDefaultsDisabled(), a2aclient.WithJSONRPCTransport(client))
	if err != nil {
		transport.CloseIdleConnections()
		return nil, err
	}
	return &link{c, transport}, nil
}

func (l *link) close() { l.transport.CloseIdleConnections() }

// Check fetches the agent's card. The error is why no task can be sent to it.
func (a Agent) Check(ctx context.Context, o Options) error {
	l, err := a.open(ctx, o)
	if err != nil {
		return errors.New(reason(err))
	}
	l.close()
	return nil
}

// newTransport returns the way to an agent. An agent that only a project's file
// names is in the public network: its name must not lead into a local one.
func newTransport(at *url.URL, anywhere bool, o Options) (*http.Transport, error) {
	t, err := o.Network.Transport(at.Host)
	if err != nil {
		return nil, err
	}
	t.TLSHandshakeTimeout = dialTime
	t.DialContext = (&net.Dialer{Timeout: dialTime}).DialContext
	if anywhere {
		return t, nil
	}
	public := func(a netip.Addr) error {
		if !proxy.Public(a) {
			return fmt.Errorf("it is not in the public network; to allow that, name %s in your setting agents.tokens", origin(at))
		}
		return nil
	}
	if a, is := proxy.Literal(at.Hostname()); is || isLoopback(at.Hostname()) {
		if err := public(a); err != nil {
			return nil, err
		}
	}
	through, err := o.Network.Proxy(&http.Request{URL: at})
	if err == nil && through == nil { // else the user chose a proxy, which resolves the name
		t.DialContext = network.CheckedDialer(dialTime, public).DialContext
	}
	return t, err
}

// fetchCard returns the agent's card.
func fetchCard(ctx context.Context, client *http.Client, at *url.URL) (*a2a.AgentCard, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, cardTime, fmt.Errorf("its card did not arrive within %v", cardTime))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxCard+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxCard:
		return nil, fmt.Errorf("its card is larger than %d MiB", maxCard>>20)
	}
	card, err := readCard(text)
	if err != nil {
		return nil, errors.New("what its address returns is not an agent card; check agent_card_url")
	}
	return card, nil
}

func readCard(text []byte) (*a2a.AgentCard, error) {
	var card a2a.AgentCard
	if err := json.Unmarshal(text, &card); err != nil || card.URL == "" {
		return nil, errors.New("not an agent card")
	}
	if card.PreferredTransport == "" {
		card.PreferredTransport = a2a.TransportProtocolJSONRPC
	}
	return &card, nil
}

// interfaces returns the ways to an agent, the preferred one first.
func interfaces(card *a2a.AgentCard) []a2a.AgentInterface {
	return append([]a2a.AgentInterface{{Transport: card.PreferredTransport, URL: card.URL}}, card.AdditionalInterfaces...)
}

var errNoJSONRPC = errors.New("its card offers no JSON-RPC over HTTP, which emendo needs")

// usable leaves in a card the one interface that is used: that of the same origin
// as the card, which is all that the user approved and a credential belongs to.
func usable(card *a2a.AgentCard, at *url.URL) error {
	if v := card.ProtocolVersion; v != "" && !strings.HasPrefix(v, "0.") {
		return fmt.Errorf("it speaks version %s of the Agent2Agent protocol; emendo speaks 0.3", tools.ShownLine(v, 20))
	}
	err := errNoJSONRPC
	for _, i := range interfaces(card) {
		if i.Transport != a2a.TransportProtocolJSONRPC {
			continue
		}
		u, bad := url.Parse(i.URL)
		if bad != nil || origin(u) != origin(at) {
			err = fmt.Errorf("its card names another server, %s; only %s is used", tools.ShownLine(i.URL, 200), origin(at))
			continue
		}
		card.URL, card.PreferredTransport, card.AdditionalInterfaces = i.URL, i.Transport, nil
		return nil
	}
	return err
}

// A statusError is an answer of a server that is not a success.
type statusError struct {
	code   int
	origin string
}

func (e statusError) Error() string {
	text := fmt.Sprintf("the server answered %d %s", e.code, http.StatusText(e.code))
	switch e.code {
	case http.StatusUnauthorized, http.StatusForbidden:
		return text + ": it needs a token, or another one; set it for " + e.origin + " in your setting agents.tokens"
	case http.StatusNotFound:
		return text + ": check agent_card_url"
	}
	return text
}

// sender sends requests to one server, with the credential, and bounds responses.
type sender struct {
	origin, header, value, agent string
	network                      *network.Network
	next                         http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (s sender) RoundTrip(r *http.Request) (*http.Response, error) {
	if origin(r.URL) != s.origin {
		return nil, fmt.Errorf("it sends to another server, %s", tools.ShownLine(r.URL.Host, 200))
	}
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", s.agent)
	if s.header != "" {
		r.Header.Set(s.header, s.value)
	}
	resp, err := s.next.RoundTrip(r)
	switch {
	case err != nil:
		return nil, s.network.Explain(r.URL.Host, err)
	case resp.StatusCode >= http.StatusBadRequest:
		resp.Body.Close()
		return nil, statusError{resp.StatusCode, s.origin}
	}
	resp.Body = &bounded{resp.Body, maxBody}
	return resp, nil
}

// bounded is a body of which no more than left bytes are read.
type bounded struct {
	io.ReadCloser

	left int
}

var errTooLarge = fmt.Errorf("it sent more than %d MiB", maxBody>>20)

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// reason describes an error for the model and the user, on one line.
func reason(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the address is named beside it
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "the connection ended in the middle of the answer"
	case errors.Is(err, context.DeadlineExceeded):
		return "it did not answer in time"
	}
	return tools.ShownLine(err.Error(), 500)
}
