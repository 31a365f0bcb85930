package servertest_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// reply is an answer of the fake.
type reply struct {
	delivery servertest.Delivery
	events   []servertest.Event
}

// fake is a server without rules.
type fake struct {
	*servertest.Server[string, reply]
}

func newFake(replies ...reply) *fake {
	f := &fake{}
	f.Server = servertest.New[string]("fake", f, nil, replies)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	r, ok := f.Next(h.URL.Path)
	f.Record(h.URL.Path)
	if !ok {
		servertest.Refuse(w, http.StatusTeapot, http.Header{"Retry-After": {"7"}}, "", map[string]int{"left": 0})
		return
	}
	f.Stream(w, h, r.delivery, r.events)
}

// get returns the status and the body of an answer.
func get(ctx context.Context, way http.RoundTripper, url string) (int, string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, "", err
	}
	resp, err := way.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func TestStreams(t *testing.T) {
	events := []servertest.Event{{Name: "a", Data: []byte(`{"n":1}`)}, {Data: []byte(`{"n":2}`)}}
	for _, tt := range []struct {
		name     string
		delivery servertest.Delivery
		events   []servertest.Event
		want     string
		err      error
	}{
		{name: "the provider's framing", events: events, want: "event: a\ndata: {\"n\":1}\n\ndata: {\"n\":2}\n\n"},
		{name: "other line ends of the provider", delivery: servertest.Delivery{EOL: "\r\n"}, events: events[1:], want: "data: {\"n\":2}\r\n\r\n"},
		{name: "line ends in turn", delivery: servertest.Delivery{Frame: servertest.Frame{Mixed: true}}, events: events, want: "event: a\r\ndata: {\"n\":1}\n\r\ndata: {\"n\":2}\n\r\n"},
		{name: "CR", delivery: servertest.Delivery{Frame: servertest.Frame{CR: true}}, events: events[1:], want: "data: {\"n\":2}\r\r"},
		{name: "comments", delivery: servertest.Delivery{Frame: servertest.Frame{Comments: true}}, events: events[1:], want: ": keep-alive\nevent: message\nid: 1\nretry: 3000\ndata: {\"n\":2}\n\n"},
		{name: "many lines", delivery: servertest.Delivery{Frame: servertest.Frame{Lines: true}}, events: events[1:], want: "data: {\ndata:  \"n\": 2\ndata: }\n\n"},
		{name: "a byte order mark, and a last word", delivery: servertest.Delivery{Frame: servertest.Frame{BOM: true, Done: true, Split: 3}}, events: events[1:], want: ": hello\n\n\ufeffdata: {\"n\":2}\n\ndata: [DONE]\n\n"},
		{name: "data that is not framed", events: []servertest.Event{{Data: []byte(`{"error":1}`), Bare: true}}, want: "{\"error\":1}\n\n"},
		{name: "the last event damaged", delivery: servertest.Delivery{End: servertest.Garble}, events: events, want: "event: a\ndata: {\"n\":1}\n\ndata: {\"n\"#:2\n\n"},
		{name: "half of the last event", delivery: servertest.Delivery{End: servertest.Truncate}, events: append(events[:2:2], servertest.Event{Hold: closed}), want: "event: a\ndata: {\"n\":1}\n\ndata: {"},
		{name: "a broken connection", delivery: servertest.Delivery{End: servertest.Cut}, events: events[1:], want: "data: {\"n\":2}\n\n", err: io.ErrUnexpectedEOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := reply{tt.delivery, tt.events}
			loopback, memory := newFake(r), newFake(r)
			loopback.Listen()
			defer loopback.Close()
			defer memory.Close()
			for way, s := range map[http.RoundTripper]*fake{http.DefaultTransport: loopback, memory: memory} {
				status, got, err := get(t.Context(), way, s.URL)
				if status != http.StatusOK || got != tt.want || !errors.Is(err, tt.err) {
					t.Errorf("%d %v\n got %q\nwant %q", status, err, got, tt.want)
				}
			}
		})
	}
}

// closed holds nothing.
var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

func TestRepliesRunOut(t *testing.T) {
	s := newFake()
	defer s.Close()
	s.Add(reply{})
	for i, want := range []int{http.StatusOK, http.StatusTeapot} {
		if status, body, err := get(t.Context(), s, s.URL+"/x"); status != want || err != nil || i == 1 && body != `{"left":0}` {
			t.Errorf("got %d %q %v, want %d", status, body, err, want)
		}
	}
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d requests are recorded", n)
	}
}

func TestWaitsEndWithTheClientAndTheServer(t *testing.T) {
	held := func() reply { return reply{events: []servertest.Event{{Hold: make(chan struct{})}}} }
	sent := func(d servertest.Delivery) func() reply {
		return func() reply { return reply{d, []servertest.Event{{Data: make([]byte, 1000)}}} }
	}
	for name, reply := range map[string]func() reply{
		"a hold":       held,
		"a stall":      sent(servertest.Delivery{End: servertest.Stall}),
		"a slow drip":  sent(servertest.Delivery{Frame: servertest.Frame{Split: 1, Drip: time.Hour}}),
		"slow letters": sent(servertest.Delivery{Frame: servertest.Frame{Split: 1, Drip: time.Second}}),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newFake(reply(), reply())
				why := errors.New("enough")
				ctx, stop := context.WithTimeoutCause(t.Context(), time.Minute, why)
				defer stop()
				if _, _, err := get(ctx, s, s.URL); !errors.Is(err, why) {
					t.Errorf("a client that left: %v", err)
				}
				time.AfterFunc(time.Minute, func() {
					if n := len(s.Requests()); n != 2 {
						t.Errorf("%d requests have arrived", n)
					}
					s.Close()
				})
				if _, _, err := get(t.Context(), s, s.URL); err != nil {
					t.Errorf("a server that closed: %v", err)
				}
			})
		})
	}
}
