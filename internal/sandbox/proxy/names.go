package proxy

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/dns/dnsmessage"
)

// Names are what a command may learn about the names of hosts: nothing but those of this
// machine. It reaches hosts by the proxy, which looks their addresses up itself, so that no
// question about a name leaves the machine.
type Names struct {
	Self   string            // the name of this machine
	Search bool              // names without a dot are those of hosts too
	Asked  func(name string) // called for each name of a host that a command looks up
}

// ServeNames answers the questions about names on a datagram socket until ctx ends, and closes
// the socket. No name exists but those of this machine, which is said at once: a program that
// gets no answer would wait for it.
func ServeNames(ctx context.Context, socket *os.File, n Names) error {
	c, err := net.FilePacketConn(socket) // it duplicates the socket
	socket.Close()
	if err != nil {
		return fmt.Errorf("answer a sandbox's questions about names: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	defer c.Close()
	question := make([]byte, 4096)
	for {
		size, from, err := c.ReadFrom(question)
		if err != nil {
			return nil //nolint:nilerr // it was closed
		}
		if answer := n.answer(question[:size]); answer != nil {
			_, _ = c.WriteTo(answer, from) // whoever asked may be gone
		}
	}
}

// answer returns the answer to a question, or nil if it is none.
func (n Names) answer(question []byte) []byte {
	var p dnsmessage.Parser
	head, err := p.Start(question)
	if err != nil || head.Response {
		return nil
	}
	q, err := p.Question()
	if err != nil {
		return nil
	}
	name := strings.ToLower(strings.TrimSuffix(q.Name.String(), "."))
	own := n.isOwn(name)
	if !own && n.host(name, q.Type) {
		n.Asked(name)
	}
	reply := dnsmessage.Header{ID: head.ID, Response: true, OpCode: head.OpCode, RecursionDesired: head.RecursionDesired, RecursionAvailable: true}
	if !own {
		reply.RCode = dnsmessage.RCodeNameError
	}
	b := dnsmessage.NewBuilder(nil, reply)
	_ = b.StartQuestions() // the order of the parts is right
	if err := b.Question(q); err != nil {
		return nil
	}
	if own {
		_ = b.StartAnswers()
		if err := loopback(&b, q); err != nil {
			return nil
		}
	}
	answer, err := b.Finish()
	if err != nil {
		return nil
	}
	return answer
}

// loopback adds the address of loopback of the family that a question asks for.
func loopback(b *dnsmessage.Builder, q dnsmessage.Question) error {
	head := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}
	switch q.Type { //nolint:exhaustive // the name has no other records
	case dnsmessage.TypeA:
		return b.AResource(head, dnsmessage.AResource{A: netip.MustParseAddr("127.0.0.1").As4()})
	case dnsmessage.TypeAAAA:
		return b.AAAAResource(head, dnsmessage.AAAAResource{AAAA: netip.IPv6Loopback().As16()})
	}
	return nil
}

// isOwn reports whether a name is this machine's.
func (n Names) isOwn(name string) bool {
	return name == "localhost" || strings.HasSuffix(name, ".localhost") || n.Self != "" && name == strings.ToLower(n.Self)
}

// nowhere lists the top domains in which no name exists, on any network.
var nowhere = []string{"invalid", "example", "test", "onion", "alt", "arpa"}

// host reports whether a question is about a host that may exist, so that the command would
// perhaps get an answer outside of the sandbox.
func (n Names) host(name string, kind dnsmessage.Type) bool {
	if !isName(name) || strings.HasPrefix(name, "_") || kind == dnsmessage.TypePTR {
		return false
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return n.Search
	}
	return !slices.Contains(nowhere, name[dot+1:])
}

// machine returns the name of this machine, and whether it completes names without a dot, as
// in an office or among containers.
var machine = sync.OnceValues(func() (self string, search bool) {
	self, _ = os.Hostname()                    // without it the name is answered like any other
	text, _ := os.ReadFile("/etc/resolv.conf") // without it there is nothing to search
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		switch {
		case len(f) > 1 && (f[0] == "search" || f[0] == "domain") && f[1] != ".",
			len(f) > 1 && f[0] == "nameserver" && f[1] == "127.0.0.11": // that of containers, which know each other by such names
			search = true
		}
	}
	return self, search
})
