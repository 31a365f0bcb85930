package present

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"github.com/emendo-dev/emendo/agent/view"
)

// mostMessages is how many messages the window's view keeps: the oldest that matter least go
// first.
const mostMessages = 20

// messages are what emendo has said of no session, and the user has not dismissed.
type messages struct {
	mu    sync.Mutex
	count int // so far, for their IDs
	shown []message
}

type message struct{ id, look, text string }

// Message implements [client.Messages]. One that is shown already is said once more in its
// place.
func (v *Views) Message(kind protocol.MessageType, text string) {
	m := &v.messages
	m.mu.Lock()
	defer m.mu.Unlock()
	said := message{look: lookOf(kind), text: text}
	if i := slices.IndexFunc(m.shown, func(o message) bool { return o.look == said.look && o.text == text }); i >= 0 {
		said.id = m.shown[i].id
		m.shown = slices.Delete(m.shown, i, i+1)
	} else {
		m.count++
		said.id = fmt.Sprintf("message-%d", m.count)
	}
	m.shown = append(m.shown, said)
	v.PutItem(view.Message(said.id, said.look, text, time.Now()))
	if len(m.shown) > mostMessages {
		i := max(0, slices.IndexFunc(m.shown, func(o message) bool { return o.look == view.LookInfo }))
		if i == len(m.shown)-1 {
			i = 0 // not the one that is said just now
		}
		v.DropItem(m.shown[i].id)
		m.shown = slices.Delete(m.shown, i, i+1)
	}
}

// lookOf returns how much a message matters.
func lookOf(kind protocol.MessageType) string {
	switch kind { //nolint:exhaustive // the rest informs
	case protocol.MessageTypeError:
		return view.LookError
	case protocol.MessageTypeWarning:
		return view.LookWarning
	}
	return view.LookInfo
}

// Choose implements [client.Messages].
func (v *Views) Choose(ctx context.Context, text string, titles []string) (string, error) {
	q := view.Choose(newID("pick"), text, titles)
	return await(ctx, v, q, func(p actParams) (string, []view.Problem) {
		return titles[slices.IndexFunc(q.Options, func(a view.Action) bool { return a.ID == p.ActionID })], nil
	})
}

// Trust asks whether a folder is trusted, and returns the ID of the answer.
func (v *Views) Trust(ctx context.Context, folder, text string, starts bool) (string, error) {
	return await(ctx, v, view.Trust(newID("trust"), folder, text, starts), func(p actParams) (string, []view.Problem) { return p.ActionID, nil })
}

// noticeDoers are the actions of the window's notices.
var noticeDoers = map[string]doer{"notice/" + view.Dismiss: dismissMessage}

func dismissMessage(_ context.Context, v *Views, c chosen) (acted, error) {
	m := &v.messages
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown = slices.DeleteFunc(m.shown, func(o message) bool { return o.id == c.ID })
	v.DropItem(c.ID)
	return acted{}, nil
}
