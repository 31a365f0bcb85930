package chatdoc

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/complete"
)

// Triggers are the characters after which completion is requested.
var Triggers = []string{"@", "/", ":"}

// Complete answers textDocument/completion: it completes mentions and commands in the
// input of a chat document.
func (r *Requests) Complete(_ context.Context, p client.HoverParams) (rpc.Work, error) {
	none := client.Answered(protocol.CompletionList{Items: []protocol.CompletionItem{}})
	doc, err := r.asked(p.Document)
	if doc == nil {
		return none, err
	}
	at, err := doc.Text.Offset(p.Position, r.d.c.Workspace.Encoding())
	if err != nil {
		return nil, client.Invalid("%v", err)
	}
	text := doc.Text.String()
	parsed := r.parse(doc)
	start, ok := parsed.Input()
	if !ok || at < start {
		return none, nil
	}
	word, find, ok := r.completer.Before(parsed.Session, text[start:at])
	if !ok {
		return none, nil
	}
	span := client.Range(doc.Text.Range(start+word, at, r.d.c.Workspace.Encoding()))
	typed := text[start+word : at]
	return func(ctx context.Context) (any, error) {
		found, _, err := find(ctx)
		if errors.Is(err, transcript.ErrUnknownSession) { // it has no prompt yet
			_, find, _ := r.completer.Before("", text[start:at])
			found, _, err = find(ctx)
		}
		if err != nil {
			return nil, err
		}
		// The client always asks again: it cannot tell what matches.
		list := protocol.CompletionList{IsIncomplete: true, Items: make([]protocol.CompletionItem, len(found))}
		for i, f := range found {
			list.Items[i] = protocol.CompletionItem{
				Label: f.Label, Kind: kindOf(f), SortText: protocol.NewOptional(fmt.Sprintf("%03d", i)),
				FilterText: protocol.NewOptional(filterText(typed, f.InsertText)), TextEdit: &protocol.TextEdit{Range: span, NewText: f.InsertText},
			}
			if f.Detail != "" {
				list.Items[i].Detail = protocol.NewOptional(f.Detail)
			}
		}
		return list, nil
	}, nil
}

// filterText returns what clients compare with the typed text. Some show only what
// begins with it, so it comes first where the server found a match elsewhere.
func filterText(typed, text string) string {
	if strings.HasPrefix(strings.ToLower(text), strings.ToLower(typed)) {
		return text
	}
	return typed + " " + text
}

func kindOf(f complete.Item) protocol.CompletionItemKind {
	switch f.Kind {
	case transcript.MentionFolder:
		return protocol.CompletionItemKindFolder
	case transcript.MentionSymbol:
		return protocol.CompletionItemKindReference
	case transcript.MentionSelection, transcript.MentionProblems:
		return protocol.CompletionItemKindText
	}
	if f.IsCommand() {
		return protocol.CompletionItemKindFunction
	}
	return protocol.CompletionItemKindFile
}

// asked returns the chat document that a request is about, or nil if it is another
// one.
func (r *Requests) asked(doc client.Document) (*ide.Document, error) {
	if err := client.Require(doc.URI, "textDocument.uri"); err != nil {
		return nil, err
	}
	u := ide.ParseURI(doc.URI)
	if !r.Serves(u) {
		return nil, nil
	}
	return r.d.c.Workspace.Snapshot().Document(u), nil
}
