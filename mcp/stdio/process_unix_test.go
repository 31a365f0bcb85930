//go:build unix

package stdio_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/mcp/schema"
	"github.com/emendo-dev/emendo/mcp/stdio"
)

// start starts a shell command as a server.
func start(t *testing.T, line string) *stdio.Process {
	t.Helper()
	p, err := stdio.Start(t.Context(), sandbox.System(), sandbox.Command{Argv: []string{"/bin/sh", "-c", line}, Dir: "/", Env: []string{"PATH=/usr/bin:/bin"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// answering answers the first request, which is initialize, and then waits.
const answering = `echo "Welcome to the server"; echo oops >&2
read request; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"sh","version":"1"}}}'
cat >/dev/null`

func connect(t *testing.T, p *stdio.Process) (*mcp.ClientSession, error) {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
	s, err := c.Connect(t.Context(), p.Transport(&schema.Written{}), &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err == nil {
		t.Cleanup(func() { _ = s.Close() })
	}
	return s, err
}

func TestServerWithABanner(t *testing.T) {
	p := start(t, answering)
	s, err := connect(t, p)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.InitializeResult().ServerInfo.Name; got != "sh" {
		t.Errorf("it is called %q", got)
	}
	if err := p.Reason(); err != nil {
		t.Errorf("something is held against it: %v", err)
	}
}

func TestServersThatFail(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"exits", "exit 3", "it exited with code 3"},
		{"exits with a message", "echo 'Error: no key' >&2; echo '    at main.js' >&2; exit 1", "it exited with code 1: Error: no key"},
		{"dies", "kill -9 $$", "it was ended by the signal killed"},
		{"prints garbage", "while :; do echo garbage garbage garbage garbage garbage garbage garbage; done", "it prints text that is no message of the protocol"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := start(t, c.line)
			if _, err := connect(t, p); err == nil {
				t.Fatal("it can be talked to")
			}
			<-p.Ended()
			p.Close()
			if err := p.Reason(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("the reason is %v, want %s", err, c.want)
			}
		})
	}
}

// What a server has started ends with it.
func TestClosedServerIsGone(t *testing.T) {
	p := start(t, "trap '' TERM; sleep 600 & cat >/dev/null")
	p.Close()
	<-p.Ended()
}

func TestServerThatCannotBeStarted(t *testing.T) {
	_, err := stdio.Start(context.Background(), sandbox.System(), sandbox.Command{Argv: []string{"/nonesuch"}, Dir: "/"}, nil)
	if err == nil {
		t.Error("it was started")
	}
}
