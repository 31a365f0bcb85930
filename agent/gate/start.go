package gate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/redact"
	"github.com/emendo-dev/emendo/internal/trust"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// starts holds the user's answers about entries that are not stored.
type starts struct {
	open     questions
	refused  sync.Map // the turn that a refusal applies to, a string, by keyOf; empty: the session
	notified sync.Map // entries with a notice that they did not start, by keyOf
}

// keyOf identifies an entry of a folder, including everything that decides what it runs.
func keyOf(folder string, look trust.Look) trust.Approval {
	return trust.Approval{Folder: trust.Folder{Path: folder}, Kind: look.Kind, Name: look.Name, Sum: look.Sum}
}

// MayStart reports whether an entry of a folder's settings may start now, and in which
// version: whoever starts it shows it the files of that version where that is possible.
// In a trusted folder an approved entry may; about a new or changed one it asks the
// user. If the session cannot ask, the entry does not start, and one notice says
// so. Call it right before each start.
func (t *Turn) MayStart(ctx context.Context, folder string, e trust.Entry) (trust.Cleared, bool) {
	for ctx.Err() == nil {
		look, ok := t.gate.entry(folder, e)
		if !ok {
			return trust.Cleared{}, false
		}
		key := keyOf(folder, look)
		if look.State == trust.Approved || t.gate.isApproved(key) {
			return look.Clear(folder), true
		}
		if t.gate.starts.isRefused(key, t.o.ID) {
			return trust.Cleared{}, false
		}
		if !t.gate.o.Client.Abilities().Asks {
			t.notStarted(key, look)
			return trust.Cleared{}, false
		}
		q, mine := t.gate.starts.open.join(key)
		if mine {
			may := t.askToStart(ctx, key, look)
			t.gate.starts.open.leave(key)
			if !may {
				return trust.Cleared{}, false
			}
			if now, ok := t.gate.entry(folder, e); !ok || now.Sum == look.Sum {
				return look.Clear(folder), ok
			}
			continue // it changed while the user was asked
		}
		select { // "allow once" covers one start, so ask again
		case <-q.answered:
		case <-ctx.Done():
		}
	}
	return trust.Cleared{}, false
}

// Approved reports whether an entry may start without asking, and in which version. It
// is for use outside turns.
func (g *Gate) Approved(folder string, e trust.Entry) (trust.Cleared, bool) {
	look, ok := g.entry(folder, e)
	if !ok || look.State != trust.Approved && !g.isApproved(keyOf(folder, look)) {
		return trust.Cleared{}, false
	}
	return look.Clear(folder), true
}

// entry inspects an entry of a trusted folder. It returns false if the entry cannot
// start whatever the user answers.
func (g *Gate) entry(folder string, e trust.Entry) (trust.Look, bool) {
	if g.o.Approvals == nil || !g.o.Facts().Trusted || !g.o.TrustsFolder(folder) {
		return trust.Look{}, false
	}
	e.Outside = e.Outside || !g.o.Commands.InSandbox()
	look, err := g.o.Approvals.Approved(folder, e)
	if err != nil {
		g.o.Log.Warn("check the approval of a folder's program", "session", g.o.SessionID, "folder", folder, "err", err)
		return look, false
	}
	return look, true
}

func (t *Turn) askToStart(ctx context.Context, key trust.Approval, look trust.Look) bool {
	if err := t.o.Flush(); err != nil { // show earlier events first
		return false
	}
	always := "Start it in this project from now on, until it changes"
	if look.Home != "" {
		always = "Start it in every project from now on, until it changes"
	}
	if look.Unseen != "" {
		always = "Start it in this session, until its command or a file that it names changes"
	}
	q := frontend.Question{
		SessionID: t.gate.o.SessionID, TurnID: t.o.ID, Reason: joinSentences(whyStart(key.Folder.Path, look), t.gate.whereRun(look)),
		Call: frontend.CallInfo{CallID: "start-" + look.Sum[:16], Name: "start_" + string(key.Kind), Title: "Start the " + startName(look), Kind: tools.Execute},
		Options: []frontend.Option{
			{ID: "allow_once", Name: "Start it once", Kind: frontend.AllowOnce},
			{ID: alwaysInSession, Name: always, Kind: frontend.AllowAlways},
			{ID: "reject_once", Name: "Do not start it in this turn", Kind: frontend.RejectOnce},
			{ID: "reject_always", Name: "Do not start it in this session", Kind: frontend.RejectAlways},
		},
		Preview: frontend.Preview{Executable: &frontend.Executable{
			Kind: string(key.Kind), Name: look.Name, Command: look.CommandLine(), Cwd: cwdOf(key.Folder.Path, look), Env: shown(look.Env), Headers: shown(look.Headers), Hosts: look.Hosts,
			Scripts: look.Scripts, Changed: look.State == trust.Changed,
		}},
	}
	a, err := t.gate.o.Client.Ask(ctx, q)
	if ctx.Err() != nil {
		return false
	}
	switch Answered(q, a, err) {
	case frontend.AllowOnce:
		return true
	case frontend.AllowAlways:
		if look.Unseen != "" {
			t.gate.answers.add(remembered{Listed: inSession(key, t.gate.o.SessionID), start: key})
			return true
		}
		if err := t.gate.o.Approvals.Approve(key.Folder.Path, look); err != nil {
			t.o.Emit(transcript.Notice{Severity: transcript.Warning, Code: startCode(look), Title: "The approval was not stored", Description: err.Error()})
		}
		return true
	case frontend.RejectOnce:
		t.gate.starts.refused.Store(key, t.o.ID)
	case frontend.RejectAlways:
		t.gate.starts.refused.Store(key, "")
	}
	return false
}

// cwdOf returns the folder in which an entry starts; empty if that is a private one.
func cwdOf(folder string, look trust.Look) string {
	if look.Private || look.URL != "" {
		return ""
	}
	return cmp.Or(look.Dir, look.Home, folder)
}

// shown returns settings for the user, without secrets.
func shown(m map[string]string) []frontend.Setting {
	l := []frontend.Setting{}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		value, _ := redact.Setting(name, m[name])
		l = append(l, frontend.Setting{Name: name, Value: value})
	}
	return l
}

// notStarted notifies the user, once a session, that an entry did not start.
func (t *Turn) notStarted(key trust.Approval, look trust.Look) {
	if _, was := t.gate.starts.notified.LoadOrStore(key, true); was {
		return
	}
	why, fix := "it was not approved, and this session cannot ask for permission", "`emendo trust add` shows what would start and approves it; --trust does so for one run"
	if look.Home != "" {
		fix = "`emendo extensions enable` shows what an extension would start and approves it"
	}
	switch {
	case look.Unseen != "":
		why = "it needs approval in each session, because it may run files that an approval does not cover (" + visible.Line(look.Unseen) + "), and this session cannot ask for permission"
		fix = "--trust starts it for one run"
	case look.State == trust.Changed:
		why = "it has changed since it was approved, and this session cannot ask for permission"
	}
	t.o.Emit(transcript.Notice{
		Severity: transcript.Warning, Code: startCode(look), Title: "Not started: " + startName(look),
		Description: fmt.Sprintf("%s would start %s, but %s. %s.", visible.Line(key.Folder.Path), visible.Text(look.CommandLine()), why, fix),
	})
}

func startName(look trust.Look) string {
	kinds := map[trust.Kind]string{trust.Hook: "hook ", trust.Server: "MCP server ", trust.Discovery: "discovery command "}
	return kinds[look.Kind] + visible.Line(look.Name)
}

func startCode(look trust.Look) transcript.NoticeCode {
	if look.Kind == trust.Hook {
		return transcript.NoticeHook
	}
	return transcript.NoticeMCP
}

// whyStart returns the reason of the question. Names in it are kept on one line.
func whyStart(folder string, look trust.Look) string {
	by := "The settings of " + visible.Line(folder)
	if look.File != "" {
		by = "Your file " + visible.Line(look.File)
	}
	if look.By != "" {
		by = look.By
	}
	why := by + " would start it, and you have not approved it yet."
	if look.State == trust.Changed {
		why = by + " would start it, and it has changed since you approved it: its command, arguments, environment or script."
	}
	if look.Unseen != "" {
		why = by + " would start it. It needs your approval in each session, because it may run files that an approval does not cover: " + visible.Line(look.Unseen) + "."
	}
	if given := look.Given(); len(given) > 0 {
		why += " It receives these variables of your environment: " + visible.Line(strings.Join(given, ", ")) + "."
	}
	if len(look.Scripts) > 0 {
		why += " Approving it covers these files as they are now: " + visible.Line(strings.Join(look.Scripts, ", ")) + "."
	}
	return why
}

// whereRun describes where a program runs; empty for a server with an address.
func (g *Gate) whereRun(look trust.Look) string {
	switch {
	case look.URL != "":
		return ""
	case look.Outside && (!g.o.Commands.InSandbox()):
		return "No sandbox is available, so it runs with your permissions."
	case look.Outside && look.Kind == trust.Server && look.Private:
		return "It runs outside the sandbox with your permissions, in a private folder."
	case look.Outside:
		return "It runs outside the sandbox with your permissions, as your settings say."
	case len(look.Hosts) > 0:
		return "It runs in the sandbox, as commands do, and reaches these hosts: " + visible.Line(strings.Join(look.Hosts, ", ")) + "."
	}
	return "It runs in the sandbox, as commands do."
}

// inSession returns the approval of an entry for a session.
func inSession(a trust.Approval, sessionID string) policy.Listed {
	l := ListedApproval(a)
	l.ID, l.Tier, l.Scope = policy.IDOf(fmt.Sprintf("%q", []string{sessionID, l.ID})), "session", policy.Session
	return l
}

// ListedApproval returns the approval of a program that a folder's settings start, as the
// user reads it.
func ListedApproval(a trust.Approval) policy.Listed {
	return policy.Listed{
		ID:   policy.IDOf(fmt.Sprintf("%q", []string{"approval", a.Folder.Path, string(a.Kind), a.Name, a.Sum})),
		Text: visible.Line(fmt.Sprintf("start the %s %s of %s until it changes", strings.ReplaceAll(string(a.Kind), "_", " "), a.Name, a.Folder.Path)),
		Tier: "user", Scope: policy.Project, Source: policy.OfAnswer, Removable: true,
	}
}

// isApproved reports whether the user has let an entry start for the rest of the session.
func (g *Gate) isApproved(key trust.Approval) bool {
	return slices.ContainsFunc(g.answers.all(), func(r remembered) bool { return r.start == key })
}

func (s *starts) isRefused(key trust.Approval, turn string) bool {
	in, was := s.refused.Load(key)
	return was && (in == "" || in == turn)
}
