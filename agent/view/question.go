package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Asked has what a question needs beside the agent's own form of it.
type Asked struct {
	ID       string
	Folders  Folders // of its session; nil: none
	Plan     string  // the text of the plan that it is about; empty without one, or where it cannot be read
	Encoding ide.Encoding
}

// shownBrief is the length of a brief, in characters, up to which it can say everything, and
// shownReason that of the reason beside it.
const (
	shownBrief  = 160
	shownReason = 200
)

// Permission returns a question about a call with all that is to be known before it is
// answered.
func Permission(q frontend.Question, a Asked) Question {
	w := newWording(q, a)
	w.describe(q, a.Plan)
	w.reason(q)
	for i := range w.q.Parts {
		w.q.Parts[i] = cut(w.q.Parts[i], a.Encoding)
	}
	w.options(q)
	return w.q
}

// wording is a question on its way.
type wording struct {
	folders Folders
	enc     ide.Encoding
	q       Question
	about   string // what it is about, whole
	// simple: nothing but the brief and the reason has to be seen before an answer.
	simple bool
}

func newWording(q frontend.Question, a Asked) *wording {
	if a.Folders == nil {
		a.Folders = Shown(nil)
	}
	return &wording{folders: a.Folders, enc: a.Encoding, q: Question{ID: a.ID, SessionID: q.SessionID, ItemID: q.Call.CallID, Parts: []Part{}, Lines: []Line{}}}
}

// describe says what a question is about.
func (w *wording) describe(q frontend.Question, plan string) {
	p := q.Preview
	switch {
	case len(p.Waits) > 0:
		w.title("waits", q.Call.Title)
		w.line(Line{ID: "call"}, "label.call", "call.title", "title", q.Call.Title)
	case p.Command != "":
		w.title("command", p.Command)
		w.command(p)
	case p.Skill != "":
		w.title("skill", "", "skill", p.Skill)
		w.simple = true
		w.paths(p.Paths)
	case len(p.Paths) > 0:
		w.title("read", strings.Join(w.shown(p.Paths), ", "), "n", len(p.Paths))
		w.simple = true
		w.paths(p.Paths)
	case len(p.URLs) > 0 && p.Text != "":
		w.title("task", strings.Join(p.URLs, ", ")+" "+p.Text)
		w.urls(p.URLs)
		w.part(Part{Kind: Plain, Text: plain(p.Text)}, "label.task")
	case p.Text != "":
		w.title("remote", p.Text)
		w.part(Part{Kind: Plain, Text: plain(p.Text)}, "label.remote")
	case len(p.URLs) > 0:
		w.title("urls", strings.Join(p.URLs, ", "), "n", len(p.URLs))
		w.simple = true
		w.urls(p.URLs)
	case p.ToolName == tools.Sampling:
		w.title("sampling", "", "server", p.ServerName)
		w.arguments(p.Args)
	case p.ServerName != "":
		w.title("mcp", "", "server", p.ServerName, "tool", p.ToolName)
		w.arguments(p.Args)
	case p.Executable != nil:
		w.title("start_"+p.Executable.Kind, p.Executable.Command, "name", p.Executable.Name)
		w.executable(*p.Executable)
	case p.PlanURI != "":
		w.title("plan", "")
		w.line(Line{ID: "plan", Look: "file", Place: &Place{URI: string(p.PlanURI)}}, "label.plan", "place", "path", w.folders.Near(p.PlanURI.Path()))
		w.q.Lines[0].Text.Short = visible.Line(path.Base(p.PlanURI.Path()))
		if plan != "" {
			w.part(Part{Kind: Markdown, Text: plan}, "label.plan")
		}
	case p.ChangeSetID != "":
		w.title("edits", q.Call.Title)
		w.edits(q)
	default:
		w.title("call", "", "title", q.Call.Title)
	}
}

// title says in a few words what is asked, and in one line also about what.
func (w *wording) title(code, about string, args ...any) {
	w.q.Code, w.q.Title, w.about = code, say("ask."+code, args...), about
	lines := strings.Split(strings.TrimSpace(about), "\n")
	brief := visible.Line(lines[0])
	w.q.Whole = len(lines) == 1 && len([]rune(brief)) <= shownBrief && !strings.Contains(brief, "](")
	brief = visible.Short(brief, shownBrief)
	if len(lines) > 1 {
		brief += " …"
	}
	w.q.Brief = w.q.Title
	if about != "" {
		w.q.Brief = say("ask.about", "title", w.q.Title.Text, "about", brief)
	}
}

// reason says why it is asked.
func (w *wording) reason(q frontend.Question) {
	facts := w.q.Lines
	w.q.Lines = []Line{}
	if q.Reason != "" {
		w.q.Lines = append(w.q.Lines, Line{ID: "reason", Text: Text{Text: plain(q.Reason)}})
	}
	if q.Rule != "" {
		w.line(Line{ID: "rule"}, "label.rule", "call.rule", "rule", q.Rule)
	}
	w.q.Lines = append(w.q.Lines, facts...)
	w.q.Whole = w.q.Whole && w.simple && len([]rune(q.Reason)) <= shownReason && !strings.Contains(q.Reason, "](")
}

func (w *wording) part(p Part, label string) {
	p.Label = new(say(label))
	w.q.Parts = append(w.q.Parts, p)
}

// line adds a fact under a label.
func (w *wording) line(l Line, label, code string, args ...any) {
	l.Label, l.Text = new(say(label)), say(code, args...)
	w.q.Lines = append(w.q.Lines, l)
}

// warning is the look of a line that has to be read before an answer.
const warning = "warning"

func (w *wording) command(p frontend.Preview) {
	w.part(Part{Kind: Code, Lang: "sh", Text: p.Command}, "label.command")
	w.commandParts(p.Commands, true)
	w.folder(p.Cwd)
	switch p.Sandbox {
	case "A", "B":
		w.line(Line{ID: "sandbox"}, "label.sandbox", "sandbox."+strings.ToLower(p.Sandbox))
	case "C":
		w.line(Line{ID: "sandbox", Look: warning}, "label.sandbox", "sandbox.c")
	}
	w.files("saves", "label.saves", p.Saves)
	w.files("unsaved", "label.unsaved", p.Unsaved)
	w.simple = p.Sandbox != "C" && len(p.Saves) == 0 && len(p.Unsaved) == 0 && !slices.ContainsFunc(p.Commands, func(c frontend.CommandPart) bool { return c.Decision == "deny" || c.Danger != "" })
	w.commandParts(p.Commands, false)
	if len(p.Commands) == 0 && len(p.Parsed) > 1 {
		for _, text := range p.Parsed {
			w.line(Line{ID: "part"}, "label.part", "ask.part", "command", text)
		}
	}
}

// folder says in which folder something runs, unless it is the session's own.
func (w *wording) folder(cwd string) {
	if near := w.folders.Near(cwd); cwd != "" && near != "." {
		w.line(Line{ID: "folder"}, "label.runs_in", "place", "path", near)
	}
}

// rank orders the parts of a command: what is denied, what could destroy something, what asks,
// and the rest.
func rank(c frontend.CommandPart) int {
	switch {
	case c.Decision == "deny":
		return 0
	case c.Danger != "":
		return 1
	case c.Decision == "ask":
		return 2
	}
	return 3
}

// commandParts says what is decided about the parts of a command that are allowed, or about the
// others.
func (w *wording) commandParts(all []frontend.CommandPart, asks bool) {
	parts := slices.Clone(all)
	slices.SortStableFunc(parts, func(a, b frontend.CommandPart) int { return cmp.Compare(rank(a), rank(b)) })
	why := slices.ContainsFunc(all, func(c frontend.CommandPart) bool { return c.Reason != all[0].Reason || c.Rule != all[0].Rule })
	for _, c := range parts {
		if len(parts) == 1 && c.Danger == "" || asks == (c.Decision == "allow") {
			continue // the question itself says all of a single one
		}
		w.commandPart(c, why)
	}
}

// commandPart says what is decided about a part of a command, and why: a reason that all parts
// share is that of the question, which says it once.
func (w *wording) commandPart(c frontend.CommandPart, why bool) {
	l := Line{ID: "part", Look: c.Decision}
	w.line(l, "label.part_"+c.Decision, "ask.part", "command", c.Text)
	if c.Danger != "" {
		w.line(Line{ID: "danger", Look: warning}, "label.danger", "ask.because", "reason", c.Danger)
	}
	if c.Reason != "" && why {
		w.line(Line{ID: "part_reason"}, "label.because", "ask.because", "reason", c.Reason)
	}
	if c.Rule != "" && why {
		w.line(Line{ID: "part_rule"}, "label.rule", "call.rule", "rule", c.Rule)
	}
}

// files lists open files that the user should know of.
func (w *wording) files(id, label string, uris []ide.URI) {
	if len(uris) == 0 {
		return
	}
	names := make([]string, len(uris))
	for i, u := range uris {
		names[i] = w.folders.Near(cmp.Or(ide.ParseURI(string(u)).Path(), string(u)))
	}
	w.line(Line{ID: id, Look: warning}, label, "list", "items", strings.Join(names, ", "))
}

func (w *wording) shown(paths []string) []string {
	l := make([]string, len(paths))
	for i, p := range paths {
		l[i] = w.folders.Near(p)
	}
	return l
}

func (w *wording) paths(paths []string) {
	for _, p := range paths {
		w.line(Line{ID: "path", Look: "file", Place: &Place{URI: string(ide.FileURI(p))}}, "label.file", "place", "path", w.folders.Near(p))
	}
}

func (w *wording) urls(urls []string) {
	for _, u := range urls {
		l := Line{ID: "url"}
		if parsed, err := url.Parse(u); err == nil && parsed.Host != "" {
			w.line(l, "label.address", "ask.address_of", "url", u, "host", parsed.Host)
			continue
		}
		w.line(l, "label.address", "ask.address", "url", u)
	}
}

// arguments shows the arguments of a call, indented.
func (w *wording) arguments(args json.RawMessage) {
	var b bytes.Buffer
	if json.Indent(&b, args, "", "  ") != nil {
		b.Reset()
		b.Write(args)
	}
	w.part(Part{Kind: Code, Lang: "json", Text: visible.EscapeJSON(b.String())}, "label.arguments")
}

func (w *wording) executable(e frontend.Executable) {
	if e.Changed {
		w.q.Lines = append(w.q.Lines, Line{ID: "changed", Look: warning, Text: say("ask.changed")})
	}
	w.part(Part{Kind: Code, Lang: "sh", Text: e.Command}, "label.command")
	w.folder(e.Cwd)
	for _, l := range []struct {
		id, label string
		items     []string
	}{
		{"env", "label.env", settings(e.Env)},
		{"headers", "label.headers", settings(e.Headers)},
		{"hosts", "label.hosts", e.Hosts},
		{"scripts", "label.scripts", w.shown(e.Scripts)},
	} {
		if len(l.items) > 0 {
			w.line(Line{ID: l.id}, l.label, "list", "items", strings.Join(l.items, ", "))
		}
	}
}

// settings returns settings as clauses. Those without a value are secrets.
func settings(all []frontend.Setting) []string {
	l := make([]string, len(all))
	for i, s := range all {
		l[i] = s.Name + "=" + s.Value
		if s.Value == "" {
			l[i] = s.Name + " (not shown)"
		}
	}
	return l
}

// edits shows what would be changed.
func (w *wording) edits(q frontend.Question) {
	for _, d := range q.Call.Diffs {
		rows := rowsOf(d, w.enc)
		label := say("fact.file", "path", w.folders.Near(d.Path), "added", count(rows, "+"), "removed", count(rows, "-"))
		w.q.Parts = append(w.q.Parts, Part{Kind: Diff, Label: &label, Place: &Place{URI: string(ide.FileURI(d.Path))}, Rows: rows})
	}
}

// count returns how many rows have a mark.
func count(rows []Row, mark string) (n int) {
	for _, r := range rows {
		if r.Mark == mark {
			n++
		}
	}
	return n
}

// options are the answers, in the agent's order. After the first that rejects comes one that
// says why.
func (w *wording) options(q frontend.Question) {
	w.q.Options = []Action{}
	explained := len(q.Preview.Waits) > 0 // to end a wait needs no reason
	why, reason := "option.reject_why", "field.reason"
	if q.Preview.PlanURI != "" {
		why, reason = "option.plan_why", "field.plan"
	}
	for _, o := range q.Options {
		a := Action{ID: o.ID, Title: Text{Text: visible.Line(o.Name), Code: "option." + o.ID}, Look: string(o.Kind)}
		if code := "option.plan_" + o.ID; q.Preview.PlanURI != "" && phrase.English(code) != "" {
			detail := a.Title
			a.Title, a.Detail = say(code), &detail
		}
		w.q.Options = append(w.q.Options, a)
		if o.Kind == frontend.RejectOnce && !explained {
			explained = true
			w.q.Options = append(w.q.Options, Action{
				ID: RejectWhy, Title: say(why), Look: "reject_why",
				Fields: reasonField(reason),
			})
		}
	}
}

// RejectWhy is the ID of the answer that rejects with a reason.
const RejectWhy = "rejectWhy"

// reasonField asks for the reason of a rejection.
func reasonField(label string) []Field {
	return []Field{{ID: "reason", Label: say(label), Type: "text", Required: true}}
}
