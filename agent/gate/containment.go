package gate

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent/briefing"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/protect"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// allowFollowing is the option that lets requests follow content of the same authors for
// the rest of the session.
const allowFollowing = "allow_trusting"

// asksAfterUntrusted makes a decision stricter where the model has read untrusted content since the
// user's last message, and the call sends data out or outlasts the session. Earlier
// approvals do not count then.
func (t *Turn) asksAfterUntrusted(c Call, v Verdict) Verdict {
	read := t.o.Untrusted()
	if v.Kind == Deny || !read.Any() {
		return v
	}
	switch e := c.Effect.(type) {
	case tools.Calls:
		if e.ReadOnly {
			return v
		}
		return t.askAboutRequest(v, read, "lets an MCP server act", true, tools.Author{Origin: tools.OfMCP, Name: e.Server})
	case tools.Reads:
		if !e.Asks || len(e.Servers) != 1 {
			return v
		}
		return t.askAboutRequest(v, read, "tells an MCP server what to read", true, tools.Author{Origin: tools.OfMCP, Name: e.Servers[0]})
	case tools.Sends:
		const does = "sends data out of this machine"
		switch {
		case e.Provider:
			return v
		case e.Agent != "":
			return t.askAboutRequest(v, read, does, true, tools.Author{Origin: tools.OfWeb, Name: e.Agent, Agent: true})
		case !slices.ContainsFunc(e.URLs, func(u string) bool { return !t.o.Named(u) }):
			return v
		}
		return t.askAboutRequest(v, read, does, false, hostsOf(e.URLs)...)
	case tools.Runs:
		if !t.networked(e) {
			return v
		}
		return t.askInEveryMode(v, read, "can use the network")
	case tools.Remembers:
		return t.askInEveryMode(v, read, "is read by every later session")
	case tools.Edits:
		if !slices.ContainsFunc(e.Files, t.instructs) {
			return v
		}
		if v.Kind == Allow && t.gate.o.Client.Abilities().Reviews {
			return Verdict{Kind: Review, reason: whyAsked(read, "changes what programs run or later sessions read")}
		}
		return t.askInEveryMode(v, read, "changes what programs run or later sessions read")
	case tools.Ends, tools.Notes, tools.Finds, tools.Asks, tools.Plans, tools.Presents, tools.Samples: // a sample's messages come from the server itself
		return v
	}
	panic(fmt.Sprintf("gate: unknown effect %T of %s", c.Effect, c.Spec.Name))
}

// whyAsked says why a call that follows untrusted content is asked about.
func whyAsked(read transcript.Untrusted, does string) string {
	return fmt.Sprintf("%s may have told the model to do this, which %s.", read, does)
}

// askInEveryMode asks about a call in every mode.
func (t *Turn) askInEveryMode(v Verdict, read transcript.Untrusted, does string) Verdict {
	if v.Kind != Allow {
		v.reason = joinSentences(whyAsked(read, does), v.reason)
		return v
	}
	return t.gate.ask("untrusted content", joinSentences(whyAsked(read, does), "It needs your approval until your next message, whatever the rules allow."))
}

// askAboutRequest asks about a call that brings content of these authors and to which untrusted
// content of others may have led, or, where nobody's own content counts, any content. In
// mode yolo it runs and the user is told. The user can answer for the rest of the session.
func (t *Turn) askAboutRequest(v Verdict, read transcript.Untrusted, does string, own bool, to ...tools.Author) Verdict {
	if own {
		read = read.Besides(to...)
	}
	if !t.gate.o.Settings().Security.NoAlways {
		read = read.Unanswered()
	}
	if !read.Any() {
		return v
	}
	if v.Kind != Allow || !t.yolo() {
		v = t.askInEveryMode(v, read, does)
	}
	v.follows, v.covers = read, read.Authors()
	for _, a := range to {
		if !slices.Contains(v.covers, a) {
			v.covers = append(v.covers, a)
		}
	}
	return v
}

// hostsOf returns the authors of what these addresses have.
func hostsOf(urls []string) []tools.Author {
	var l []tools.Author
	for _, s := range urls {
		if u, err := url.Parse(s); err == nil {
			l = append(l, tools.Author{Origin: tools.OfWeb, Name: u.Hostname()})
		}
	}
	return l
}

func (t *Turn) yolo() bool { return t.facts().Mode == policy.Yolo }

// networked reports whether a command could reach the network by its words, or because no
// sandbox keeps it from there. What the sandbox lets a command reach in mode yolo it may
// reach after untrusted content too.
func (t *Turn) networked(e tools.Runs) bool {
	remote := slices.ContainsFunc(e.Parts, func(p shellcmd.Part) bool { return p.Remote })
	if t.gate.o.Commands.InSandbox() {
		return remote && !t.yolo()
	}
	return remote || !e.Known || slices.ContainsFunc(e.Parts, func(p shellcmd.Part) bool { return !p.ReadOnly && !p.Passes })
}

// instructs reports whether a file decides what programs do, or is read by later sessions. A
// chat document has what the user says next.
func (t *Turn) instructs(f ledger.Proposed) bool {
	names := briefing.ContextNames(t.gate.o.Settings().Context.FileNames)
	place := t.gate.place(t.facts())
	return f.Runs() || slices.ContainsFunc([]string{f.Path, f.NewPath}, func(path string) bool {
		return path != "" && (slices.Contains(names, filepath.Base(path)) || ide.FileURI(path).IsChat() || place.At(path) > protect.Open)
	})
}

// tellOfRequest tells the user, once a turn for each author, of a request that mode yolo allows after
// untrusted content.
func (t *Turn) tellOfRequest(c Call, v Verdict) {
	t.mu.Lock()
	news := v.follows.Besides(t.told...)
	t.told = append(t.told, news.Authors()...)
	t.mu.Unlock()
	if !news.Any() {
		return
	}
	t.o.Emit(transcript.Notice{
		Severity: transcript.Info, Code: transcript.NoticeOutside, Title: "A request followed content from outside",
		Description: fmt.Sprintf("%s may have told the model to make this call: %s. Mode yolo allows it.", news, c.Info.Title),
	})
}
