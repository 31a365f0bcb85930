package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/web/address"
)

// Untrusted describes content from outside that the model has read since the user's last
// message. It may instruct the model to send data to somebody or to save something for
// later sessions. The zero value means that there is none.
type Untrusted struct {
	read     []content
	answered []tools.Author // about whom the user does not want to be asked in this session
}

// content is what one author has written of it.
type content struct {
	tools.Author

	by      []string // the tools that returned it, each once
	message string   // the user's message that brought it; empty: something else did
}

// Any reports whether there is untrusted content.
func (u Untrusted) Any() bool { return len(u.read) > 0 }

// Besides returns the part that is not of these authors.
func (u Untrusted) Besides(own ...tools.Author) Untrusted {
	return u.without(func(r content) bool { return slices.Contains(own, r.Author) })
}

// Unanswered returns the part about whose authors the user wants to be asked.
func (u Untrusted) Unanswered() Untrusted {
	return u.without(func(r content) bool { return slices.Contains(u.answered, r.Author) })
}

// Answered returns the authors about whom the user does not want to be asked in this session.
func (u Untrusted) Answered() []tools.Author { return slices.Clone(u.answered) }

func (u Untrusted) without(drop func(content) bool) Untrusted {
	u.read = slices.DeleteFunc(slices.Clone(u.read), drop)
	return u
}

// Authors returns the authors, in the order in which the model read of them first.
func (u Untrusted) Authors() []tools.Author {
	var l []tools.Author
	for _, r := range u.read {
		l = append(l, r.Author)
	}
	return l
}

// maxNamed is how many authors a text names.
const maxNamed = 5

// String says what came from where, as the subject of a sentence.
func (u Untrusted) String() string {
	return "Content from " + list(u.read, func(r content) string {
		if len(r.by) == 0 {
			return nameOf(r.Author)
		}
		return fmt.Sprintf("%s (by %s)", nameOf(r.Author), strings.Join(r.by[:min(len(r.by), maxNamed)], ", "))
	})
}

// NamesOf lists authors.
func NamesOf(l []tools.Author) string { return list(l, nameOf) }

// list names the first of some things.
func list[T any](all []T, name func(T) string) string {
	var l []string
	for _, x := range all[:min(len(all), maxNamed)] {
		l = append(l, name(x))
	}
	if n := len(all) - maxNamed; n > 0 {
		l = append(l, fmt.Sprintf("%d more", n))
	}
	if n := len(l) - 1; n > 0 {
		return strings.Join(l[:n], ", ") + " and " + l[n]
	}
	return strings.Join(l, "")
}

// nameOf names an author, on one line.
func nameOf(a tools.Author) string {
	name := tools.ShownLine(a.Name, 64)
	switch {
	case a.Origin == tools.OfInput:
		return "standard input"
	case a.Origin == tools.OfImport:
		return "an imported conversation"
	case a.Origin == tools.OfMCP && name == "":
		return "an MCP server"
	case a.Origin == tools.OfMCP:
		return "the MCP server " + name
	case a.Agent:
		return "the remote agent " + name
	case name == "":
		return "the network"
	}
	return name
}

// including returns u with more content.
func (u Untrusted) including(more content) Untrusted {
	u.read = slices.Clone(u.read)
	i := slices.IndexFunc(u.read, func(r content) bool { return r.Author == more.Author })
	if i < 0 {
		u.read = append(u.read, more)
		return u
	}
	old := &u.read[i]
	old.by = slices.Clone(old.by)
	for _, tool := range more.by {
		if !slices.Contains(old.by, tool) {
			old.by = append(old.by, tool)
		}
	}
	old.message = more.message // a later message of the user's ends what this one has brought
	return u
}

// outside folds the events of a session into what it has read from outside, and into the
// addresses of the web that the user or a search named.
type outside struct {
	now      Untrusted
	ever     []tools.Author    // of everything that it contains or has contained
	calls    map[string]string // call → its tool
	imported imported

	typed []string        // texts of the user's whose addresses are not in named yet
	named map[string]bool // as package address writes them
}

// imported is how far a session has come since it was imported from another program.
type imported int

const (
	notImported imported = iota
	importing            // the events are those of the other program
	unfinished           // its first turn here has not ended
)

func newOutside() outside { return outside{calls: map[string]string{}, named: map[string]bool{}} }

// fold applies an event.
func (o *outside) fold(e Event) {
	switch e := e.(type) { //nolint:gochecksumtype // the other events have no outside content
	case Started:
		if !e.ImportedAt.IsZero() {
			o.imported = importing
		}
	case Summary:
		if o.imported == importing {
			o.imported = unfinished
		}
	case Text:
		if o.imported == importing {
			o.add(nil, content{Author: tools.Author{Origin: tools.OfImport}})
		}
	case TurnEnded:
		if o.imported == unfinished && !e.Aside {
			o.imported = notImported
			o.now = o.now.without(func(r content) bool { return r.Origin == tools.OfImport })
		}
	case UserChunk:
		o.foldMessage(e)
	case Vouched:
		if e.Authors == nil { // of an earlier version: everything that was read
			o.now = o.now.without(func(content) bool { return true })
		}
		o.now.answered = slices.DeleteFunc(slices.Clone(o.now.answered), func(a tools.Author) bool { return slices.Contains(e.Authors, a) })
		if !e.Over {
			o.now.answered = append(o.now.answered, e.Authors...)
		}
	case Given:
		o.foldGiven(e)
	case ToolCall:
		o.calls[e.CallID] = e.Name
	case ToolUpdate:
		o.foldResult(e)
	}
}

// foldMessage applies a block of a message.
func (o *outside) foldMessage(e UserChunk) {
	b := e.Block
	if b.Passed {
		o.add(nil, content{Author: tools.Author{Origin: tools.OfInput}, message: e.MessageID})
	}
	if b.Passed || b.Relayed {
		return
	}
	if b.Type == TextBlock {
		o.typed = append(o.typed, b.Text)
	}
	if !e.Aside { // what this message has brought, and an imported conversation, remain
		o.now = o.now.without(func(r content) bool { return r.message != e.MessageID && r.Origin != tools.OfImport })
	}
}

// foldGiven applies text that was added to the conversation. A server's instructions are no
// content of it.
func (o *outside) foldGiven(e Given) {
	if !e.Origin.Untrusted() || e.Kind == KindServer {
		return
	}
	r := content{Author: tools.Author{Origin: e.Origin, Name: e.Server}, by: []string{"your prompt"}, message: e.MessageID}
	if e.Kind == KindJobs {
		r.by, r.message = []string{"a background command"}, ""
	}
	o.add(e.From, r)
}

// foldResult applies the result of a call.
func (o *outside) foldResult(e ToolUpdate) {
	if !e.Over() {
		return
	}
	for _, l := range e.Leads {
		if l.From == "" || o.names(l.From) {
			o.named[l.To] = true
		}
	}
	switch {
	case e.Origin.Untrusted():
		o.add(e.From, content{Author: tools.Author{Origin: e.Origin, Name: e.Server}, by: []string{cmp.Or(o.calls[e.CallID], "a call")}})
	case o.imported == importing:
		o.add(nil, content{Author: tools.Author{Origin: tools.OfImport}})
	}
}

// add adds content of these authors, or of r's where none is given.
func (o *outside) add(from []tools.Author, r content) {
	if len(from) == 0 {
		from = []tools.Author{r.Author}
	}
	for _, a := range from {
		r.Author = a
		o.now = o.now.including(r)
		if !slices.Contains(o.ever, a) {
			o.ever = append(o.ever, a)
		}
	}
}

// names reports whether the user or a search named an address.
func (o *outside) names(url string) bool {
	for _, text := range o.typed {
		for _, a := range address.Named(text) {
			o.named[a] = true
		}
	}
	o.typed = nil
	return o.named[url]
}

// origin returns the least trusted origin of what the session contains or has contained;
// empty: nothing of it is untrusted.
func (o *outside) origin() tools.Origin {
	if n := len(o.ever); n > 0 {
		return o.ever[n-1].Origin
	}
	return ""
}

// Untrusted returns the untrusted content that the model has read since the user's last
// message.
func (h *History) Untrusted() Untrusted { return h.outside.now }

// Outsiders returns the authors of all untrusted content that the history contains or has
// contained.
func (h *History) Outsiders() []tools.Author { return slices.Clone(h.outside.ever) }

// Named reports whether an address, as package address writes it, is in what the user
// typed, was found by a search, or is where one of these redirects to.
func (h *History) Named(url string) bool { return h.outside.names(url) }
