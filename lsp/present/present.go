// Package present sends a client that draws items the conversations that it has open, and
// what changes of them. It knows when something is sent; [view] knows what.
package present

import (
	"context"
	"sync"
	"time"

	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/agent/view"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
	"github.com/emendo-dev/emendo/lsp/chat"
	"github.com/emendo-dev/emendo/lsp/client"
	"github.com/emendo-dev/emendo/lsp/lists"
)

// outputEvery is the shortest time between two differences that only add to the output of
// running calls: docs/protocol.md promises it.
const outputEvery = 100 * time.Millisecond

// Views are the conversations that the client has open, and the window's view.
type Views struct {
	c     *client.Client
	chat  *chat.Chat
	lists *lists.Lists

	mu   sync.Mutex
	open map[string]*opened // by session
	asks openQuestions

	quota map[string][]frontend.Quota // what providers still accept, by session

	window   window
	Tasks    *Tasks
	messages messages
	groups   groups

	sending inTurn // while a difference is taken and sent, so that they stay in order
}

// inTurn lets one goroutine go on at a time. Unlike a mutex it may be held while the client
// reads slowly: those that wait for it count as waiting in a bubble of testing/synctest.
type inTurn chan struct{}

func (l inTurn) Lock()   { l <- struct{}{} }
func (l inTurn) Unlock() { <-l }

// opened is a conversation that the client has open.
type opened struct {
	mu      sync.Mutex
	fold    *view.Conversation
	past    *transcript.Past // what is before the fold
	ses     *agent.Session
	asks    asksKnown
	seen    seen
	offers  offers
	version int64
	news    setNews
	pages   int       // on their way; the first counts from the start
	only    bool      // all that waits is output of running calls
	last    time.Time // when a difference was sent

	seq     int64 // of the last update in it
	counted int64 // how many changes of hunks there were before its status counted them

	standing standing
}

// New returns views of which none is open.
func New(c *client.Client, chat *chat.Chat, l *lists.Lists) *Views {
	v := &Views{c: c, chat: chat, lists: l, open: map[string]*opened{}, quota: map[string][]frontend.Quota{}, window: window{fold: view.NewWindow()}, asks: openQuestions{client: c}, sending: make(inTurn, 1)}
	v.Tasks = &Tasks{v: v, aside: map[string]*Task{}}
	v.window.fold.Put(view.WindowStatus(view.WindowStanding{}))
	chat.Sessions.Gone = func(sessionID string) {
		v.asks.removeIf(func(a *asked) bool { return a.own && a.q.SessionID == sessionID })
		v.closeSession(sessionID)
	}
	return v
}

// get returns the open view of a session, or nil.
func (v *Views) get(sessionID string) *opened {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.open[sessionID]
}

// Show folds an update. The end of a turn is sent at once, since its prompt is answered next.
func (v *Views) Show(ctx context.Context, u transcript.Update) {
	o := v.get(u.SessionID)
	if o == nil {
		return
	}
	o.mu.Lock()
	if u.Replay && u.Seq <= o.seq { // else another process has added it
		o.mu.Unlock()
		return
	}
	o.seq = u.Seq
	e, isCall := u.Event.(transcript.ToolUpdate)
	live := isCall && e.Live != "" && !e.Over()
	o.only = live && (o.only || !o.fold.Changed())
	if _, begins := u.Event.(transcript.UserChunk); begins && !u.Replay {
		o.fold.Run(u.TurnID)
	}
	o.fold.Add(u)
	_, ended := u.Event.(transcript.TurnEnded)
	if ended && !u.Replay {
		o.fold.Run("")
	}
	o.mu.Unlock()
	if ended {
		v.send(ctx, u.SessionID, o)
		return
	}
	v.c.Touch()
}

// didChange are the params of emendo/view/didChange.
type didChange struct {
	SessionID string        `json:"sessionId,omitzero"` // empty: of the window's view
	Version   int64         `json:"version"`
	Changes   []view.Change `json:"changes"`
}

// SendChanged sends what has changed, and returns how long until there is more to send; 0:
// nothing waits. It is called on the announcer's goroutine alone.
func (v *Views) SendChanged(now time.Time) (next time.Duration) {
	v.mu.Lock()
	all := make(map[string]*opened, len(v.open))
	for id, o := range v.open {
		all[id] = o
	}
	v.mu.Unlock()
	for id, o := range all {
		counted := v.hunksNow()
		next = sooner(next, v.look(now, o))
		o.mu.Lock()
		if o.standing.looked.Equal(now) && o.counted != counted {
			o.counted = counted
			o.standing.news = o.standing.news || v.newestHunk(id) > o.seen.at(o.version) // others may be as many
		}
		o.only = !o.foldNews() && o.only
		wait := outputEvery - now.Sub(o.last)
		waits := o.only && o.fold.Changed() && wait > 0
		o.mu.Unlock()
		if !waits {
			v.send(v.c.Life(), id, o)
		} else {
			next = sooner(next, wait)
		}
	}
	return sooner(next, v.sendWindow(now))
}

// sooner returns the shorter of two times; 0 is never.
func sooner(a, b time.Duration) time.Duration {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// send sends what has changed of a view, if anything has.
func (v *Views) send(ctx context.Context, id string, o *opened) {
	v.sending.Lock()
	defer v.sending.Unlock()
	if v.get(id) != o { // it was closed, or opened again
		return
	}
	questions := v.asks.list(id)
	o.mu.Lock()
	o.foldNews()
	if o.pages > 0 {
		o.mu.Unlock()
		return
	}
	if !o.fold.Changed() && o.asks.has(questions) && !o.standing.news {
		o.mu.Unlock()
		return
	}
	changes := append(o.fold.Changes(), o.asks.changes(questions, o.version+1)...)
	changes = append(changes, o.standing.changes()...)
	o.last, o.only = time.Now(), false
	if len(changes) > 0 {
		o.version++
		o.noteSeen()
	}
	p := didChange{id, o.version, changes}
	o.mu.Unlock()
	view.FillChanges(o.ses.State.Log.Reread, v.c.Can.Encoding, changes)
	if len(changes) > 0 {
		v.c.Notify(context.WithoutCancel(ctx), "emendo/view/didChange", p)
	}
}

// noteSeen notes what the client has with the version of a view. Its lock is held.
func (o *opened) noteSeen() {
	o.seen.note(o.version, o.counted)
	o.offers.seen.note(o.version, o.offers.seq)
}

// getParams are the params of emendo/view/get.
type getParams struct {
	SessionID string `json:"sessionId"`
	Before    string `json:"before"`
	Limit     int    `json:"limit"`
	Bodies    bool   `json:"bodies"`
}

// Bounds of a page.
const (
	pageItems = 200
	pageBytes = 512 << 10
)

// Get answers emendo/view/get: it opens a conversation, or brings what is before an item of
// the open one; without a session it opens the window's view.
func (v *Views) Get(ctx context.Context, p getParams) (any, error) {
	if p.Limit < 0 {
		return nil, client.Invalid("invalid params: limit %d is negative", p.Limit)
	}
	if p.SessionID == "" {
		return v.getWindow(p.Limit)
	}
	page := view.Page{Before: p.Before, Items: pageItems, Bytes: pageBytes, Bodies: p.Bodies}
	if p.Limit > 0 {
		page.Items = p.Limit
	}
	o := v.get(p.SessionID)
	if p.Before == "" {
		var err error
		if o, err = v.begin(ctx, p.SessionID); err != nil {
			return nil, err
		}
	} else if o == nil {
		return nil, client.Invalid("session %s is not open: get it without before first", p.SessionID)
	}
	defer o.ses.State.Agent.Use()()
	v.sending.Lock() // what was taken before is queued before the page
	defer v.sending.Unlock()
	out, err := v.takePage(o, p.SessionID, page)
	if err != nil {
		return nil, err
	}
	view.FillAll(o.ses.State.Log.Reread, false, v.c.Can.Encoding, out.Items)
	return rpc.Then{Result: out, Do: func() {
		o.mu.Lock()
		o.pages--
		o.mu.Unlock()
		v.c.Touch()
	}}, nil
}

// takePage takes a page of an open view. Nothing is sent until the page is: it has all that has
// changed.
func (v *Views) takePage(o *opened, sessionID string, page view.Page) (out view.View, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.foldNews()
	if page.Before != "" {
		if _, known := o.fold.Item(page.Before); !known { // what the client has was read
			return out, client.Invalid("there is no item %s in session %s; it may have been removed", page.Before, sessionID)
		}
		o.pages++
	}
	items, earlier, err := o.readPage(page)
	if err != nil {
		return out, err
	}
	out = view.View{SessionID: sessionID, Version: o.version, Items: items, Earlier: earlier, Questions: v.asks.list(sessionID), Hunks: []view.HunkView{}, Verbs: view.Verbs()}
	out.Session, out.Status, o.standing.news = o.standing.info, new(o.standing.status), false
	o.asks.note(out.Questions, o.version)
	o.noteSeen()
	return out, nil
}

// firstVersion returns the version that a view begins with. It is later than those of views
// that were closed, or of another process: what the user saw there is not taken for what this
// one shows.
func firstVersion() int64 { return time.Now().UnixMilli() }

// begin opens a conversation, again where it is open already.
func (v *Views) begin(ctx context.Context, sessionID string) (*opened, error) {
	ses, err := v.c.Host.Session(ctx, sessionID)
	if err != nil {
		return nil, err
	}
	defer ses.State.Agent.Use()()
	v.chat.Turns.Recall(ctx, ses)
	o := &opened{counted: v.hunksNow(), asks: asksKnown{}, version: firstVersion(), pages: 1, ses: ses, fold: view.NewConversation(view.Options{Encoding: v.c.Can.Encoding, Folders: ses.State.Work, Stored: true, Terminals: v.c.Can.Terminals})}
	elsewhere := ses.Elsewhere()
	err = ses.Follow(ctx, func(past *transcript.Past, running string) error {
		o.past = past
		o.fold.Run(running)
		if err := o.readTurn(); err != nil {
			return err
		}
		if running == "" && elsewhere {
			o.fold.RunElsewhere()
		} else {
			o.fold.Settle()
		}
		v.follow(o, ses)
		v.replace(sessionID, o) // what the ledger reports from now on follows
		if h := v.c.Host.Current(); h != nil {
			o.mu.Lock()
			defer o.mu.Unlock()
			for _, cs := range h.Ledger.List(sessionID, "", "") {
				o.putSet(cs)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.standing.elsewhere = elsewhere && o.fold.RunsElsewhere() // it is seen when that ends
	return o, nil
}

// replace makes a view the open one of a session. It goes on with the versions of the one before,
// of which nothing more is sent, so that no version means two things.
func (v *Views) replace(sessionID string, o *opened) {
	v.sending.Lock()
	defer v.sending.Unlock()
	v.mu.Lock()
	before := v.open[sessionID]
	v.open[sessionID] = o
	v.mu.Unlock()
	if before == nil {
		return
	}
	before.mu.Lock()
	version := before.version
	before.mu.Unlock()
	o.mu.Lock()
	o.version = version
	o.mu.Unlock()
}

type viewParams struct {
	SessionID string `json:"sessionId"`
}

// Close answers emendo/view/close.
func (v *Views) Close(_ context.Context, p viewParams) (any, error) {
	if p.SessionID == "" {
		v.closeWindow()
		return nil, nil
	}
	v.closeSession(p.SessionID)
	return nil, nil
}

// closeSession closes the view of a session, if it is open. Nothing of it is sent after that.
func (v *Views) closeSession(sessionID string) {
	v.sending.Lock()
	defer v.sending.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	if o := v.open[sessionID]; o != nil {
		defer o.ses.State.Agent.Use()()
	}
	delete(v.open, sessionID)
}

type itemParams struct {
	SessionID string `json:"sessionId"`
	ID        string `json:"id"`
}

// foundItem answers emendo/view/item. One of its members is set.
type foundItem struct {
	Item     *view.Item     `json:"item,omitzero"`
	Question *view.Question `json:"question,omitzero"`
	Hunk     *view.HunkView `json:"hunk,omitzero"`
}

// Item answers emendo/view/item: an item, a question or a hunk, uncut.
func (v *Views) Item(_ context.Context, p itemParams) (any, error) {
	if p.SessionID == "" {
		return v.windowItem(p.ID)
	}
	o := v.get(p.SessionID)
	if o == nil {
		return nil, client.Invalid("session %s is not open", p.SessionID)
	}
	if a := v.asks.find(p.ID); a != nil && a.q.SessionID == p.SessionID {
		return foundItem{Question: &a.q}, nil
	}
	switch i, ok, err := o.wholeItem(p.ID, v.c.Can.Encoding); {
	case err != nil:
		return nil, err
	case ok:
		return foundItem{Item: &i}, nil
	}
	return nil, client.Invalid("there is no item %s in session %s; it may have been removed", p.ID, p.SessionID)
}

// wholeItem returns an item of a view with its content, or its status.
func (o *opened) wholeItem(id string, enc ide.Encoding) (i view.Item, ok bool, err error) {
	if err := o.readTo(id); err != nil {
		return i, false, err
	}
	o.mu.Lock()
	i, ok = o.item(id)
	o.mu.Unlock()
	view.Fill(o.ses.State.Log.Reread, true, enc, &i)
	return i, ok, nil
}

// item returns an item of a view, or its status. Its lock is held.
func (o *opened) item(id string) (view.Item, bool) {
	if id == view.StatusID {
		return o.standing.status, true
	}
	return o.fold.Item(id)
}

type findParams struct {
	SessionID string `json:"sessionId"`
	Text      string `json:"text"`
}

// Find answers emendo/view/find: the items in which a text stands.
func (v *Views) Find(_ context.Context, p findParams) (any, error) {
	o := v.get(p.SessionID)
	if o == nil {
		return nil, client.Invalid("session %s is not open", p.SessionID)
	}
	defer o.ses.State.Agent.Use()()
	if err := o.readAll(); err != nil {
		return nil, err
	}
	o.mu.Lock()
	found := o.fold.Find(p.Text)
	o.mu.Unlock()
	return struct {
		IDs []string `json:"ids"`
	}{found.LookUp(o.ses.State.Log.Reread)}, nil
}
