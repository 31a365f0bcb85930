package transcript

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/tools"
)

// Events of a session that reads content from outside.
var (
	typed = func(id, text string) Event {
		return UserChunk{MessageID: id, Block: Block{Type: TextBlock, Text: text}}
	}
	called = func(id, tool string) Event { return ToolCall{CallID: id, Name: tool} }
	ofMCP  = func(name string) tools.Author { return tools.Author{Origin: tools.OfMCP, Name: name} }
	ofWeb  = func(name string) tools.Author { return tools.Author{Origin: tools.OfWeb, Name: name} }
	got    = func(id string, from ...tools.Author) Event {
		return ToolUpdate{CallID: id, State: Success, Origin: from[0].Origin, From: from}
	}
)

func historyOf(es ...Event) *History {
	h := NewHistory()
	for _, e := range es {
		h.Add(e)
	}
	return h
}

// Every author of content from outside is kept, each once, with the tools that returned it.
func TestEveryAuthorIsKept(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []Event
		want   string
	}{
		{"nothing", []Event{typed("1", "look")}, "Content from "},
		{"a server", []Event{typed("1", "look"), called("a", "lookup"), got("a", ofMCP("far"))}, "Content from the MCP server far (by lookup)"},
		{
			"several",
			[]Event{called("a", "lookup"), got("a", ofMCP("far")), called("b", "web_fetch"), got("b", ofWeb("one.test"), ofWeb("two.test")), called("c", "peek"), got("c", ofMCP("far"))},
			"Content from the MCP server far (by lookup, peek), one.test (by web_fetch) and two.test (by web_fetch)",
		},
		{"a remote agent", []Event{called("a", "invoke_agent"), got("a", tools.Author{Origin: tools.OfWeb, Name: "helper", Agent: true})}, "Content from the remote agent helper (by invoke_agent)"},
		{"a log of an earlier version", []Event{called("a", "lookup"), ToolUpdate{CallID: "a", State: Success, Origin: tools.OfMCP, Server: "far"}}, "Content from the MCP server far (by lookup)"},
		{"a running call", []Event{called("a", "lookup"), ToolUpdate{CallID: "a", State: Executing, Origin: tools.OfMCP, Server: "far"}}, "Content from "},
		{"instructions of a server", []Event{typed("1", "look"), Given{MessageID: "1", Kind: KindServer, Origin: tools.OfMCP, Server: "far"}}, "Content from "},
		{"a resource that the prompt names", []Event{Given{MessageID: "1", Kind: GivenLinked, Origin: tools.OfMCP, Server: "far"}, typed("1", "look at @far:x")}, "Content from the MCP server far (by your prompt)"},
		{"a prompt of a server", []Event{UserChunk{MessageID: "1", Block: Block{Type: TextBlock, Text: "/far:do"}, Expanded: true}, Given{MessageID: "1", Kind: KindCommand, Origin: tools.OfMCP, Server: "far"}}, "Content from the MCP server far (by your prompt)"},
		{"standard input beside a prompt", []Event{UserChunk{MessageID: "1", Block: Block{Type: TextBlock, Text: "log", Passed: true}}, typed("1", "fix it")}, "Content from standard input"},
		{"standard input of an earlier message", []Event{UserChunk{MessageID: "1", Block: Block{Type: TextBlock, Text: "log", Passed: true}}, typed("1", "fix it"), typed("2", "go on")}, "Content from "},
		{"a background command", []Event{Given{MessageID: "1", Kind: KindJobs, Origin: tools.OfWeb}}, "Content from the network (by a background command)"},
		{"more than are named", []Event{got("a", ofWeb("a"), ofWeb("b"), ofWeb("c"), ofWeb("d"), ofWeb("e"), ofWeb("f"), ofWeb("g"))}, "Content from a (by a call), b (by a call), c (by a call), d (by a call), e (by a call) and 2 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := historyOf(tt.events...).Untrusted(); got.String() != tt.want || got.Any() != (tt.want != "Content from ") {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// What a program sends in the user's place does not end the caution.
func TestWhatIsNoMessageOfTheUser(t *testing.T) {
	read := []Event{typed("1", "look"), called("a", "lookup"), got("a", ofMCP("far"))}
	for _, tt := range []struct {
		name string
		then []Event
		ends bool
	}{
		{"a message", []Event{typed("2", "go on")}, true},
		{"a steering message", []Event{UserChunk{MessageID: "2", Steer: true, Block: Block{Type: TextBlock, Text: "go on"}}}, true},
		{"a file alone", []Event{UserChunk{MessageID: "2", Block: Block{Type: LinkBlock, URI: "file:///a"}}}, true},
		{"a slash command", []Event{UserChunk{MessageID: "2", Aside: true, Block: Block{Type: TextBlock, Text: "/help"}}}, false},
		{"a message of another program", []Event{UserChunk{MessageID: "2", Block: Block{Type: TextBlock, Text: "go on", Relayed: true}}}, false},
		{"a comment", []Event{UserChunk{MessageID: "2", Block: Comment{Text: "go on", Quoted: "x"}.Block()}}, true},
		{"a comment from the disk", []Event{UserChunk{MessageID: "2", Block: Block{Type: TextBlock, Text: "go on", Relayed: true, Comment: &Comment{Text: "go on", Quoted: "x"}}}}, false},
		{"standard input alone", []Event{UserChunk{MessageID: "2", Block: Block{Type: TextBlock, Text: "go on", Passed: true}}}, false},
		{"that everything is trusted, in a log of an earlier version", []Event{Vouched{}}, true},
		{"an answer for the session", []Event{Vouched{Authors: []tools.Author{ofMCP("far")}}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := historyOf(slices.Concat(read, tt.then)...)
			if slices.Contains(h.Untrusted().Authors(), ofMCP("far")) == tt.ends {
				t.Errorf("what is left is %s", h.Untrusted())
			}
			if diff := cmp.Diff(h.Outsiders()[0], ofMCP("far")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// An answer for the session is about the authors that it names, whenever they are read.
func TestAnAnswerIsAboutItsAuthors(t *testing.T) {
	h := historyOf(got("a", ofMCP("far")), Vouched{Authors: []tools.Author{ofMCP("far")}}, typed("2", "go on"), got("b", ofMCP("far"), ofWeb("one.test")))
	if u := h.Untrusted(); len(u.Authors()) != 2 || !slices.Equal(u.Unanswered().Authors(), []tools.Author{ofWeb("one.test")}) || u.Unanswered().Besides(ofWeb("one.test")).Any() {
		t.Errorf("%v, of which %v", u.Authors(), u.Unanswered().Authors())
	}
}

// An imported conversation is content from outside until the first turn here has ended,
// but for the user's own messages. A fork is no different.
func TestAnImportedConversationIsFromOutside(t *testing.T) {
	start := Started{SessionID: "s", ImportedAt: time.Unix(1, 0)}
	begun := []Event{start, typed("1", "look")}
	imported := append(slices.Clone(begun), Text{MessageID: "2", Text: "Obey."}, ToolUpdate{CallID: "a", State: Success, Output: "Obey."}, TurnEnded{}, typed("3", "and?"), TurnEnded{}, Summary{})
	for _, tt := range []struct {
		name   string
		events []Event
		want   bool
	}{
		{"once it was imported", imported, true},
		{"with messages of the user's alone", append(slices.Clone(begun), TurnEnded{}, Summary{}), false},
		{"during the first turn here", append(slices.Clone(imported), typed("5", "resume"), Text{MessageID: "6", Text: "I do."}), true},
		{"after a slash command", append(slices.Clone(imported), UserChunk{MessageID: "5", Aside: true, Block: Block{Type: TextBlock, Text: "/help"}}, TurnEnded{Aside: true}, Summary{}, typed("6", "resume")), true},
		{"after the first turn here", append(slices.Clone(imported), typed("5", "resume"), TurnEnded{}), false},
		{"in the next one", append(slices.Clone(imported), typed("5", "resume"), TurnEnded{}, Summary{}, typed("7", "go on"), Text{MessageID: "8", Text: "I do."}), false},
		{"in a session of emendo's own", append([]Event{Started{}}, imported[1:]...), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := historyOf(tt.events...).Untrusted(); got.Any() != tt.want {
				t.Errorf("untrusted is %s", got)
			}
			st := NewStore(t.TempDir())
			var rs []Record
			for _, e := range tt.events {
				rs = append(rs, Record{At: time.Unix(2, 0), Turn: "t", Event: e})
			}
			first := tt.events[0].(Started)
			first.SessionID = "s"
			rs[0].Event = first
			if err := st.save(first, rs); err != nil {
				t.Fatal(err)
			}
			if _, err := st.Fork("s", ForkOptions{NewID: "f", Now: time.Unix(3, 0)}); err != nil {
				t.Fatal(err)
			}
			path, err := st.Find("f")
			if err != nil {
				t.Fatal(err)
			}
			l := &Log{path: path}
			defer l.Close()
			if rs, err = l.Lock(); err != nil {
				t.Fatal(err)
			}
			h := NewHistory()
			for _, r := range rs {
				h.Add(r.Event)
			}
			if got := h.Untrusted(); got.Any() != tt.want {
				t.Errorf("in a fork untrusted is %s", got)
			}
		})
	}
}

// An address is named by what the user typed, by a search, and by where these redirect to.
func TestNamedAddresses(t *testing.T) {
	h := historyOf(
		typed("1", "Compare https://Docs.test/a#top with http://old.test and plain.test/x?y=1."),
		UserChunk{MessageID: "2", Block: Block{Type: TextBlock, Text: "https://relayed.test/", Relayed: true}},
		UserChunk{MessageID: "3", Block: Block{Type: TextBlock, Text: "https://passed.test/", Passed: true}},
		UserChunk{MessageID: "3", Block: Comment{Text: "https://comment.test/", Quoted: "https://quoted.test/", Name: "https://name.test/", Source: "https://source.test/"}.Block()},
		UserChunk{MessageID: "3", Block: Block{Type: ResourceBlock, Text: "https://attached.test/"}},
		Text{MessageID: "4", Text: "https://said.test/"},
		ToolUpdate{CallID: "a", State: Success, Leads: []tools.Lead{{To: "https://found.test/"}}},
		ToolUpdate{CallID: "b", State: Failure, Leads: []tools.Lead{{From: "https://found.test/", To: "https://moved.test/"}, {From: "https://moved.test/", To: "https://moved.test/b"}}},
		ToolUpdate{CallID: "c", State: Failure, Leads: []tools.Lead{{From: "https://evil.test/", To: "https://evil.test/b"}}},
	)
	for url, want := range map[string]bool{
		"https://docs.test/a": true, "https://docs.test/a?q=1": false, "https://docs.test/": false, "http://docs.test/a": false,
		"http://old.test/": true, "https://old.test/": true, "https://plain.test/x?y=1": true, "https://plain.test/x": false,
		"https://relayed.test/": false, "https://passed.test/": false, "https://comment.test/": true, "https://quoted.test/": false, "https://name.test/": false, "https://source.test/": false, "https://attached.test/": false, "https://said.test/": false,
		"https://found.test/": true, "https://moved.test/": true, "https://moved.test/b": true, "https://evil.test/": false, "https://evil.test/b": false,
	} {
		if got := h.Named(url); got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
}
