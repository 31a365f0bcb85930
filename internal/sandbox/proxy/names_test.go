package proxy

import (
	"slices"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

func TestNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		kind   dnsmessage.Type
		search bool
		noted  bool // it is a host's
		known  bool // it has an address here
	}{
		{name: "docs.example.com.", kind: dnsmessage.TypeA, noted: true},
		{name: "Docs.Example.COM.", kind: dnsmessage.TypeAAAA, noted: true},
		{name: "docs.example.com.", kind: dnsmessage.TypeTXT, noted: true},
		{name: "_http._tcp.deb.example.org.", kind: dnsmessage.TypeSRV},
		{name: "4.3.2.1.in-addr.arpa.", kind: dnsmessage.TypePTR},
		{name: "localhost.", kind: dnsmessage.TypeA, known: true},
		{name: "app.localhost.", kind: dnsmessage.TypeAAAA, known: true},
		{name: "This-Machine.", kind: dnsmessage.TypeA, known: true},
		{name: "redis.", kind: dnsmessage.TypeA},
		{name: "redis.", kind: dnsmessage.TypeA, search: true, noted: true},
		{name: "nobody.invalid.", kind: dnsmessage.TypeA, search: true},
		{name: "a b.example.com.", kind: dnsmessage.TypeA},
	} {
		var noted []string
		n := Names{Self: "this-machine", Search: tt.search, Asked: func(name string) { noted = append(noted, name) }}
		question := dnsmessage.Message{Header: dnsmessage.Header{ID: 7, RecursionDesired: true}, Questions: []dnsmessage.Question{{Name: dnsmessage.MustNewName(tt.name), Type: tt.kind, Class: dnsmessage.ClassINET}}}
		packed, err := question.Pack()
		if err != nil {
			t.Fatal(err)
		}
		var answer dnsmessage.Message
		if err := answer.Unpack(n.answer(packed)); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if known := answer.RCode == dnsmessage.RCodeSuccess && len(answer.Answers) == 1; known != tt.known || !known && answer.RCode != dnsmessage.RCodeNameError || answer.ID != 7 || !answer.Response {
			t.Errorf("%s %s: got %+v", tt.name, tt.kind, answer)
		}
		if (len(noted) == 1) != tt.noted {
			t.Errorf("%s %s: noted %q", tt.name, tt.kind, noted)
		}
	}
}

func TestWhatIsNoQuestionGetsNoAnswer(t *testing.T) {
	t.Parallel()
	reply := dnsmessage.Message{Header: dnsmessage.Header{Response: true}}
	packed, err := reply.Pack()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range [][]byte{nil, {1, 2, 3}, packed, slices.Repeat([]byte{0xff}, 600)} {
		if got := (Names{}).answer(b); got != nil {
			t.Errorf("%x: got %x", b, got)
		}
	}
}
