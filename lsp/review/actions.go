package review

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/agent/view/phrase"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/question"
)

// automatic is the trigger kind of a request that the user did not make.
const automatic = int(protocol.CodeActionTriggerKindAutomatic)

// Actions answers with what the user can do at a place: code actions, code lenses
// and hovers. All are made on the read loop, from what is in memory.
type Actions struct {
	c         *client.Client
	questions *question.Asker
	review    *Review
	chats     Chats
}

// Chats are the chat documents.
type Chats interface {
	// Serves reports whether a document is one. Nothing else is offered there.
	Serves(ide.URI) bool
	// Offers returns what can be done in one.
	Offers(ide.URI) []Offer
	// Lines returns the open questions that its lines ask.
	Lines(*ide.Document) []question.Asked
}

// Offer is an action that is offered anywhere in a document.
type Offer struct {
	Kind       protocol.CodeActionKind
	Title      string
	Command    protocol.Command
	CallsModel bool
}

// offer is a kind of action on a selection. All of them call the model.
type offer struct {
	kind           protocol.CodeActionKind
	title, command string
}

// The actions on a selection.
var offers = []offer{
	{"quickfix.emendo.fix", "Fix with emendo", "emendo.fix"},
	{"refactor.rewrite.emendo", "Edit with emendo", "emendo.edit"},
	{"source.emendo.explain", "Explain with emendo", "emendo.explain"},
	{"source.emendo.test", "Write tests with emendo", "emendo.test"},
	{"source.emendo.document", "Document with emendo", "emendo.document"},
	{"source.emendo.review", "Review with emendo", "emendo.review"},
}

// The kinds of the other actions: on a hunk, on a selection, and at a question.
const (
	acceptKind  protocol.CodeActionKind = "quickfix.emendo.accept"
	rejectKind  protocol.CodeActionKind = "quickfix.emendo.reject"
	keepKind    protocol.CodeActionKind = "quickfix.emendo.keep"
	undoKind    protocol.CodeActionKind = "quickfix.emendo.undo"
	fixKind     protocol.CodeActionKind = "quickfix.emendo.fix"
	commentKind protocol.CodeActionKind = "quickfix.emendo.comment"
	explainKind protocol.CodeActionKind = "source.emendo.explain"
	askKind     protocol.CodeActionKind = "source.emendo.ask"

	permissionKind protocol.CodeActionKind = "quickfix.emendo.permission"
)

// The kinds of the actions in a chat document.
const (
	SendKind   protocol.CodeActionKind = "source.emendo.send"
	CancelKind protocol.CodeActionKind = "source.emendo.cancel"
	NewKind    protocol.CodeActionKind = "source.emendo.new"
	MoreKind   protocol.CodeActionKind = "source.emendo.more"
)

// ActionKinds returns the kinds of all code actions.
func ActionKinds() []protocol.CodeActionKind {
	kinds := []protocol.CodeActionKind{permissionKind, acceptKind, rejectKind, keepKind, undoKind, commentKind, fixFindingKind, explainFindingKind, dismissFindingKind, SendKind, CancelKind, NewKind, MoreKind}
	for _, o := range offers {
		kinds = append(kinds, o.kind)
	}
	return append(kinds, askKind)
}

// CodeAction returns what can be done with a range.
func (a *Actions) CodeAction(_ context.Context, p client.CodeActionParams) (rpc.Work, error) {
	if err := client.Require(p.Document.URI, "textDocument.uri"); err != nil {
		return nil, err
	}
	u := ide.ParseURI(p.Document.URI)
	a.c.Focus.NoteRange(u, p.Range)
	var l []protocol.CodeAction
	if a.chats.Serves(u) {
		l = append(a.inChat(u, p), a.onQuestions(u, p)...)
	} else {
		l = a.onQuestions(u, p)
		hunks := touched(a.review.shown(u), p.Range)
		l = slices.Grow(l, 3*len(hunks)+len(offers))
		for i := range hunks {
			l = a.onHunk(l, &hunks[i], p)
		}
		l = append(l, a.onFindings(u, p)...)
		l = append(l, a.onSelection(p)...)
	}
	if a.c.Can.ActionLiterals {
		return client.AnsweredList(l), nil
	}
	commands := make([]protocol.Command, len(l)) // all that clients older than literals know
	for i, x := range l {
		commands[i] = x.Command
	}
	return client.AnsweredList(commands), nil
}

// wants reports whether the client asks for actions of a kind. An action that
// calls the model is never offered to an automatic request that names kinds, such
// as the one made on save.
func wants(p client.CodeActionParams, kind protocol.CodeActionKind, callsModel bool) bool {
	only := p.Context.Only
	if callsModel && p.Context.Trigger == automatic && len(only) > 0 {
		return false
	}
	for _, o := range only {
		if o == "" || string(kind) == o || strings.HasPrefix(string(kind), o+".") {
			return true
		}
	}
	return len(only) == 0
}

// onQuestions returns the answers to the questions at the lines of a range, after
// an action that decides nothing: Enter runs the first one.
func (a *Actions) onQuestions(u ide.URI, p client.CodeActionParams) []protocol.CodeAction {
	if !wants(p, permissionKind, false) {
		return nil
	}
	var here []question.Asked
	doc := a.c.Workspace.Snapshot().Document(u)
	for _, q := range append(a.questions.ShownIn(doc), a.chats.Lines(doc)...) {
		twice := slices.ContainsFunc(here, func(o question.Asked) bool { return o.Question == q.Question })
		if q.Last >= p.Range.Start.Line && q.Line.Start.Line <= p.Range.End.Line && !twice {
			here = append(here, q)
		}
	}
	var l []protocol.CodeAction
	for _, q := range here {
		l = append(l, action("Show the question: "+shorten(q.Task), permissionKind, client.NewCommand("Show", "emendo.permission", nil)))
		for _, c := range q.Choices {
			title := c.Title
			if len(here) > 1 {
				title += ": " + shorten(q.Task)
			}
			args := client.PermissionArgs{SessionID: q.SessionID, CallID: q.CallID, OptionID: c.ID}
			l = append(l, action(title, permissionKind, client.NewCommand(c.Title, "emendo.permission", args)))
		}
	}
	return l
}

// inChat returns the actions in a chat document.
func (a *Actions) inChat(u ide.URI, p client.CodeActionParams) []protocol.CodeAction {
	var l []protocol.CodeAction
	for _, o := range a.chats.Offers(u) {
		switch {
		case !wants(p, o.Kind, o.CallsModel):
		case o.CallsModel:
			l = append(l, a.generated(o.Title, o.Kind, o.Command))
		default:
			l = append(l, action(o.Title, o.Kind, o.Command))
		}
	}
	return l
}

// titleWidth bounds the part of a task or of a hunk in the title of an action, in characters.
const titleWidth = 60

func shorten(task string) string {
	if r := []rune(task); len(r) > titleWidth {
		return string(r[:titleWidth-1]) + "…"
	}
	return task
}

func action(title string, kind protocol.CodeActionKind, c protocol.Command) protocol.CodeAction {
	return protocol.CodeAction{Title: title, Kind: &kind, Command: c}
}

// generated is action for one that calls the model. It is marked so where the
// client declared the tag.
func (a *Actions) generated(title string, kind protocol.CodeActionKind, c protocol.Command) protocol.CodeAction {
	x := action(title, kind, c)
	if a.c.Can.GeneratedTag {
		x.Tags = []protocol.CodeActionTag{protocol.CodeActionTagLLMGenerated}
	}
	return x
}

// verdicts returns the kinds of the actions that decide a hunk, with what they do.
func (u undecided) verdicts() []verdict {
	switch {
	case u.isFinal():
		return []verdict{{keepKind, ledger.Keep}}
	case u.Unreviewed():
		return []verdict{{keepKind, ledger.Keep}, {undoKind, ledger.Undo}}
	}
	return []verdict{{acceptKind, ledger.Accept}, {rejectKind, ledger.Reject}}
}

type verdict struct {
	kind protocol.CodeActionKind
	do   ledger.Action
}

// commands returns the commands that decide a hunk, in the order of [undecided.verdicts]. They
// share their arguments, which are encoded once.
func (u undecided) commands() (l []protocol.Command) {
	c := client.NewCommand("", "", &client.HunkArgs{ChangeSetID: u.set.ID, HunkID: u.ID})
	for _, x := range u.verdicts() {
		c.Title, c.Command = phrase.Say("do."+string(x.do)).Text, "emendo."+string(x.do)
		l = append(l, c)
	}
	return l
}

// onHunk adds the actions on an undecided hunk to l.
func (a *Actions) onHunk(l []protocol.CodeAction, h *undecided, p client.CodeActionParams) []protocol.CodeAction {
	commands, what := h.commands(), h.excerpt()
	for i, x := range h.verdicts() {
		if wants(p, x.kind, false) {
			l = append(l, action(h.title(x.do, what), x.kind, commands[i]))
		}
	}
	if wants(p, explainKind, true) {
		args := client.TargetArgs{URI: h.uri(), Range: &h.Range, HunkID: h.ID}
		l = append(l, a.generated(words("explain"), explainKind, client.NewCommand("Explain", "emendo.explain", &args)))
	}
	if !a.c.Can.Session && wants(p, commentKind, false) {
		args := client.CommentArgs{SessionID: h.set.SessionID, HunkID: h.ID}
		l = append(l, action(words("comment"), commentKind, client.NewCommand("Comment", "emendo.comment", &args)))
	}
	return l
}

// onSelection returns the actions on a range, most of which ask the model about it. For an empty
// range in an automatic request there are none: editors would show a light bulb
// at every position of the cursor.
func (a *Actions) onSelection(p client.CodeActionParams) []protocol.CodeAction {
	var problems []client.Diagnostic
	for _, d := range p.Context.Diagnostics {
		if d.Source != diagnosticSource {
			problems = append(problems, d)
		}
	}
	var l []protocol.CodeAction
	for _, o := range offers {
		args := client.TargetArgs{URI: p.Document.URI, Range: &p.Range}
		switch {
		case !wants(p, o.kind, true):
			continue
		case o.kind == fixKind && len(problems) == 0:
			continue
		case o.kind == fixKind:
			for _, d := range problems {
				args.Problems = append(args.Problems, fmt.Sprintf("line %d: %s", int64(d.Range.Start.Line)+1, d.Message))
			}
		case p.Context.Trigger == automatic && p.Range.Start == p.Range.End:
			continue
		}
		l = append(l, a.generated(o.title, o.kind, client.NewCommand(o.title, o.command, args)))
	}
	if moreThanACursor(p.Range) && wants(p, askKind, true) { // the way to ask in one's own words where commands take no arguments
		args := client.AskArgs{URI: p.Document.URI, Range: &p.Range, Selected: true}
		l = append(l, a.generated("Send the selected text to emendo", askKind, client.NewCommand("Ask", "emendo.ask", args)))
	}
	if moreThanACursor(p.Range) && !a.c.Can.Session && wants(p, commentKind, false) {
		args := client.CommentArgs{URI: p.Document.URI, Range: &p.Range}
		l = append(l, action(words("comment_lines"), commentKind, client.NewCommand("Comment", "emendo.comment", &args)))
	}
	return l
}

// moreThanACursor reports whether a range is a selection. The cursor of some
// editors is a character wide.
func moreThanACursor(r ide.Range) bool {
	return r.Start.Line != r.End.Line || r.End.Character > r.Start.Character+1
}

// ResolveCodeAction returns an action unchanged: every one is complete, and some
// clients resolve even those without data.
func (a *Actions) ResolveCodeAction(_ context.Context, action json.RawMessage) (rpc.Work, error) {
	if len(action) == 0 || action[0] != '{' {
		return nil, client.Invalid("invalid params: want a code action")
	}
	return client.Answered(action), nil
}

// CodeLens puts the actions that decide a hunk above each undecided one of a document.
func (a *Actions) CodeLens(_ context.Context, p client.DocumentParams) (rpc.Work, error) {
	if err := client.Require(p.Document.URI, "textDocument.uri"); err != nil {
		return nil, err
	}
	var lenses []protocol.CodeLens
	if a.c.Can.MarksHunks() {
		hunks := a.review.shown(ide.ParseURI(p.Document.URI))
		lenses = make([]protocol.CodeLens, 0, 2*len(hunks))
		for i := range hunks {
			h := &hunks[i]
			at := client.Range(ide.Range{Start: h.Range.Start, End: h.Range.Start})
			commands := h.commands()
			commands[0].Title = h.title(h.verdicts()[0].do, h.summary())
			for _, c := range commands {
				lenses = append(lenses, protocol.CodeLens{Range: at, Command: c})
			}
		}
	}
	return client.AnsweredList(lenses), nil
}

// maxHover bounds how much of a hunk's old and of its new text a hover shows,
// in bytes.
const maxHover = 8 << 10

// Hover shows the undecided hunks under the cursor, old and new.
func (a *Actions) Hover(_ context.Context, p client.HoverParams) (rpc.Work, error) {
	if err := client.Require(p.Document.URI, "textDocument.uri"); err != nil {
		return nil, err
	}
	u := ide.ParseURI(p.Document.URI)
	at := ide.Range{Start: p.Position, End: p.Position}
	a.c.Focus.NoteRange(u, at)
	if !a.c.Can.MarksHunks() {
		return client.Answered(nil), nil
	}
	var shown []string
	var where ide.Range
	for _, h := range a.review.shown(u) {
		if h.touches(at) {
			shown = append(shown, a.hoverText(h))
			where = a.review.visibleRange(h)
		}
	}
	if len(shown) == 0 {
		return client.Answered(nil), nil
	}
	return client.Answered(protocol.Hover{Contents: a.contents(strings.Join(shown, "\n\n")), Range: new(client.Range(where))}), nil
}

// contents returns a text as the client takes it. One that declares no format knows only
// strings of Markdown.
func (a *Actions) contents(text string) protocol.HoverContents {
	switch can := a.c.Can; {
	case can.HoverMarkdown:
		return &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: text}
	case can.HoverPlain:
		return &protocol.MarkupContent{Kind: protocol.MarkupKindPlainText, Value: text}
	}
	return protocol.String(text)
}

// hoverText returns a hunk as a diff.
func (a *Actions) hoverText(h undecided) string {
	code := "proposes"
	if h.Unreviewed() {
		code = "unreviewed"
	}
	head := words(code, "title", h.set.Title, "what", h.summary())
	diff := visible.Text(strings.ReplaceAll(h.diff(), "\r\n", "\n"))
	if !a.c.Can.HoverMarkdown && a.c.Can.HoverPlain {
		return head + "\n\n" + diff
	}
	return escapeMarkdown(head) + "\n\n" + visible.Block("diff", diff)
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "#", `\#`, "!", `\!`)

// escapeMarkdown returns Markdown that shows s as it is.
func escapeMarkdown(s string) string { return markdownEscapes.Replace(s) }
