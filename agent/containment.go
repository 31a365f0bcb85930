package agent

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/memory"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// doubt is the session's, as its events have it.
func (t *turn) doubt() transcript.Doubt {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session.history.Doubt
}

// mixed is the untrusted origin of something that the session has read; empty
// when there was none.
func (t *turn) mixed() tools.Origin {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.session.history.Mixed
}

// contain takes leave back that nobody gave for this very effect, when the
// model has read what nobody vouches for and the effect sends something out or
// lasts beyond the session. Everything else goes on as decided.
func (t *turn) contain(spec tools.Spec, e tools.Effect, v verdict) verdict {
	d := t.doubt()
	if v.kind != allow || !d.On() {
		return v
	}
	does := t.reaches(spec, e)
	if does == "" {
		return v
	}
	reason := fmt.Sprintf("%s may have told the model to do this, and it %s. Until you have said something it is asked about, whatever else allows it.", d.Words(), does)
	t.tellDoubt(d)
	can := t.session.agent.client.Abilities()
	if _, edits := e.(tools.Edits); edits && can.Reviews {
		return verdict{kind: review, reason: reason}
	}
	v = question(can, "untrusted content", reason)
	v.doubts = v.kind == ask
	return v
}

// reaches says what an effect does that content from outside must not bring
// about on its own; empty for all others.
func (t *turn) reaches(spec tools.Spec, e tools.Effect) string {
	switch e := e.(type) {
	case tools.Sends:
		return "reaches out of this machine"
	case tools.Remembers:
		return "is read by every later session"
	case tools.Runs:
		if networked(e, t.session.agent.offline()) {
			return "can use the network"
		}
	case tools.Edits:
		if slices.ContainsFunc(e.Files, t.isContextFile) {
			return "changes what later sessions are told"
		}
	case tools.Reads, tools.Ends, tools.Notes, tools.Asks, tools.Plans, tools.Presents:
	default:
		panic(fmt.Sprintf("agent: unknown effect %T of %s", e, spec.Name))
	}
	return ""
}

// offline says whether commands are kept from the network.
func (a *Agent) offline() bool { return a.o.Offline != nil && a.o.Offline() }

// networked says whether a command can reach the network. Where nothing keeps it
// from that, only one that is known to read and nothing else cannot.
func networked(e tools.Runs, offline bool) bool {
	if offline {
		return slices.ContainsFunc(e.Parts, func(p shellcmd.Part) bool { return p.Network })
	}
	return !e.Known || slices.ContainsFunc(e.Parts, func(p shellcmd.Part) bool { return p.Network || !p.ReadOnly && !p.Passes })
}

// isContextFile says whether a file is one that sessions are given.
func (t *turn) isContextFile(f ledger.Proposed) bool {
	names := t.session.agent.choices().ContextNames
	if names == nil {
		names = memory.DefaultNames
	}
	return slices.ContainsFunc([]string{f.Path, f.NewPath}, func(path string) bool {
		return path != "" && slices.Contains(names, filepath.Base(path))
	})
}

// tellDoubt tells, once for each doubt, that leave was taken back.
func (t *turn) tellDoubt(d transcript.Doubt) {
	t.mu.Lock()
	told := t.doubted == d
	t.doubted = d
	t.mu.Unlock()
	if !told {
		t.emit(transcript.Notice{
			Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "What the model has read may not be trusted",
			Description: d.Words() + " may hold instructions of somebody else. What sends data out or is remembered needs your word until you have said something; all else goes on.",
		})
	}
}

// vouch is how the user says that what was read can be trusted.
var vouch = frontend.Option{ID: "allow_trusting", Name: "Allow, and trust what this session has read so far", Kind: frontend.AllowAlways}

// provenance is where the result of a call comes from.
func (c *call) provenance(r tools.Result) tools.Origin {
	if r.Origin == "" && c.tool != nil {
		r.Origin = c.tool.Spec().Origin
	}
	if e, reads := c.action.Effect.(tools.Reads); reads && r.Origin == "" && slices.ContainsFunc(e.Paths, c.turn.session.keeps) {
		return c.turn.mixed() // what was too long to be shown came with it
	}
	return r.Origin
}
