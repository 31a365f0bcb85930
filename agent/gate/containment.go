package gate

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/emendo-dev/emendo/agent/memory"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// contain asks about an allowed call if the model has read untrusted content and
// the effect sends data out or outlasts the session. Earlier approvals do not
// count. Results of an MCP server do not block calls to that same server that a
// rule or an answer of the user's names, or that the user trusts, nor the reading of
// its resources.
func (t *Turn) contain(c Call, v Verdict) Verdict {
	read := t.o.Untrusted()
	if v.Kind != Allow || !read.Any() {
		return v
	}
	if e, ok := c.Effect.(tools.Calls); ok && v.named && read.OnlyFrom(e.Server) {
		return v
	}
	if e, ok := c.Effect.(tools.Reads); ok && len(e.Servers) == 1 && read.OnlyFrom(e.Servers[0]) {
		return v
	}
	does := t.reach(c)
	if does == "" {
		return v
	}
	t.warn(read)
	if _, reads := c.Effect.(tools.Reads); reads && t.gate.o.Facts().Mode == policy.Yolo {
		return v // the notice tells the user
	}
	reason := fmt.Sprintf("%s may have told the model to do this, which %s. It needs your approval until your next message, whatever the rules allow.", read, does)
	if _, edits := c.Effect.(tools.Edits); edits && t.gate.o.Client.Abilities().Reviews {
		return Verdict{Kind: Review, reason: reason}
	}
	v = t.gate.ask("untrusted content", reason)
	v.untrusted = v.Kind == Ask
	return v
}

// reach describes the part of an effect that untrusted content must not cause on
// its own, or "".
func (t *Turn) reach(c Call) string {
	switch e := c.Effect.(type) {
	case tools.Sends:
		if !e.Provider {
			return "sends data out of this machine"
		}
	case tools.Calls:
		if !e.ReadOnly {
			return "lets an MCP server act"
		}
	case tools.Remembers:
		return "is read by every later session"
	case tools.Runs:
		if networked(e, t.gate.o.Commands.offline()) {
			return "can use the network"
		}
	case tools.Edits:
		if slices.ContainsFunc(e.Files, t.isContextFile) {
			return "changes what later sessions read"
		}
	case tools.Reads:
		if e.Asks {
			return "tells an MCP server what to read"
		}
	case tools.Ends, tools.Notes, tools.Asks, tools.Plans, tools.Presents, tools.Samples: // a sample's messages come from the server itself
	default:
		panic(fmt.Sprintf("gate: unknown effect %T of %s", e, c.Spec.Name))
	}
	return ""
}

// networked reports whether a command may reach the network. Without a sandbox that
// blocks it, only a command that is known to just read cannot.
func networked(e tools.Runs, offline bool) bool {
	if offline {
		return slices.ContainsFunc(e.Parts, func(p shellcmd.Part) bool { return p.Remote })
	}
	return !e.Known || slices.ContainsFunc(e.Parts, func(p shellcmd.Part) bool { return p.Remote || !p.ReadOnly && !p.Passes })
}

// isContextFile reports whether later sessions read a file.
func (t *Turn) isContextFile(f ledger.Proposed) bool {
	names := t.gate.o.Settings().ContextNames
	if names == nil {
		names = memory.DefaultNames
	}
	return slices.ContainsFunc([]string{f.Path, f.NewPath}, func(path string) bool {
		return path != "" && slices.Contains(names, filepath.Base(path))
	})
}

// warn notifies the user about untrusted content, once for each source.
func (t *Turn) warn(read transcript.Untrusted) {
	t.mu.Lock()
	warned := t.warned == read
	t.warned = read
	t.mu.Unlock()
	if warned {
		return
	}
	t.o.Emit(transcript.Notice{
		Severity: transcript.Warning, Code: transcript.NoticeBlocked, Title: "Untrusted content was read",
		Description: read.String() + " may contain instructions from someone else. Network access and saved memories need your approval until your next message.",
	})
}
