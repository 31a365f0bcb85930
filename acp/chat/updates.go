package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/acp/client"
	"github.com/emendo-dev/emendo/acp/host"
	"github.com/emendo-dev/emendo/acp/preview"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/tools"
)

// Updates shows the client what happens in its sessions.
type Updates struct {
	Client *client.Client
	Hosts  *host.Hosts
	Models []acp.OptionValue // that are offered until it is known which can be used
	// Said is called when the client was shown a message of the user's. May be nil.
	Said func(sessionID, messageID string)

	mu     sync.Mutex
	usable []acp.OptionValue // nil: Models
}

// Show sends an update of a session. It waits while the client reads slowly.
func (t *Updates) Show(ctx context.Context, u transcript.Update) error {
	s, err := t.Hosts.Session(u.SessionID)
	if err != nil { // closed by the client, or another process has a turn of it
		return nil //nolint:nilerr // nobody is interested in it
	}
	meta := acp.Meta(acp.Numbered{Seq: u.Seq, TurnID: u.TurnID, Replay: u.Replay})
	switch e := u.Event.(type) { //nolint:gochecksumtype // the other events do not change options
	case transcript.ModelChanged:
		if info, ok := t.info(ctx, s); ok {
			info.Model = e.Model
			return t.send(ctx, u.SessionID, acp.OptionsUpdate(t.options(info)), meta)
		}
	case transcript.ModeChanged:
		if err := t.send(ctx, u.SessionID, acp.Update(e), meta); err != nil || u.Replay {
			return err
		}
		if info, ok := t.info(ctx, s); ok {
			info.Mode = e.Mode
			return t.send(ctx, u.SessionID, acp.OptionsUpdate(t.options(info)), nil)
		}
		return nil
	}
	update, ok := acp.Nearest(u.Event, t.Client.Can)
	if !ok {
		return nil
	}
	if err := t.send(ctx, u.SessionID, update, meta); err != nil {
		return err
	}
	if e, ok := u.Event.(transcript.UserChunk); ok && t.Said != nil && !u.Replay {
		t.Said(u.SessionID, e.MessageID)
	}
	return nil
}

func (t *Updates) info(ctx context.Context, s *host.Session) (transcript.SessionInfo, bool) {
	ses, err := s.Agent(ctx)
	if err != nil {
		return transcript.SessionInfo{}, false
	}
	return ses.Info(), true
}

// options returns the config options of a session.
func (t *Updates) options(info transcript.SessionInfo) []acp.ConfigOption {
	return acp.ConfigOptions(info.Mode, info.Model, t.models())
}

// models returns the models that sessions offer.
func (t *Updates) models() []acp.OptionValue {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.usable != nil {
		return t.usable
	}
	return t.Models
}

// findUsableModels finds out which models can be used, and shows the options of a session if they are
// others than before.
func (t *Updates) findUsableModels(ctx context.Context, s *host.Session) {
	var names []string
	known := map[string]acp.OptionValue{}
	for _, m := range t.Models {
		names, known[m.Value] = append(names, m.Value), m
	}
	var usable []acp.OptionValue
	for _, name := range s.Host.Agent.Process.Usable(ctx, names) {
		m, ok := known[name]
		if !ok {
			m = acp.OptionValue{Value: name, Name: name}
		}
		usable = append(usable, m)
	}
	t.mu.Lock()
	changed := !slices.Equal(usable, t.usable)
	t.usable = usable
	t.mu.Unlock()
	if info, ok := t.info(ctx, s); ok && changed && ctx.Err() == nil {
		t.tellOptions(ctx, s.ID, info)
	}
}

// Warn shows a warning that belongs to no turn, in the session with the ID.
func (t *Updates) Warn(ctx context.Context, sessionID, text string) {
	if sessionID != "" {
		t.showEvent(ctx, sessionID, transcript.Notice{Severity: transcript.Warning, Code: transcript.NoticeSettings, Title: "Settings", Description: text})
	}
}

// Unread warns the user that the text of a file on disk counts, because the client did
// not read the file.
func (t *Updates) Unread(ctx context.Context, sessionID, path string, err error) {
	t.showEvent(ctx, sessionID, transcript.Notice{
		Severity: transcript.Warning, Code: transcript.NoticeNotSent, Title: "The editor did not read a file",
		Description: fmt.Sprintf("%s is read from the disk, without unsaved changes: %s.", tools.ShownLine(path, 300), tools.ShownLine(err.Error(), 300)),
	})
}

// Announce shows a call that only a question is about, before the question. The
// function that it returns shows whether it was permitted.
func (t *Updates) Announce(ctx context.Context, sessionID string, c acp.ToolCall) (end func(permitted bool)) {
	send := func(ctx context.Context, update any) {
		raw, err := json.Marshal(update)
		if err == nil {
			err = t.send(ctx, sessionID, raw, nil)
		}
		if err != nil {
			t.Client.Log.Debug("an update was not sent", "error", err)
		}
	}
	c.SessionUpdate = "tool_call"
	send(ctx, c)
	return func(permitted bool) {
		status := "failed"
		if permitted {
			status = "completed"
		}
		send(context.WithoutCancel(ctx), acp.ToolCall{SessionUpdate: "tool_call_update", ToolCallID: c.ToolCallID, Status: status})
	}
}

// showEvent shows something that is no part of the session, and has no number.
func (t *Updates) showEvent(ctx context.Context, sessionID string, e transcript.Event) {
	update, ok := acp.Nearest(e, t.Client.Can)
	if !ok {
		return
	}
	t.show(ctx, sessionID, update)
}

// tellOptions shows the options of a session.
func (t *Updates) tellOptions(ctx context.Context, sessionID string, info transcript.SessionInfo) {
	t.show(ctx, sessionID, acp.OptionsUpdate(t.options(info)))
}

// show shows an update that has no number.
func (t *Updates) show(ctx context.Context, sessionID string, update json.RawMessage) {
	if err := t.send(ctx, sessionID, update, nil); err != nil {
		t.Client.Log.Debug("an update was not sent", "error", err)
	}
}

// Ask runs ask, which asks the user, and shows a client of version 2 of the protocol
// that the session waits.
func (t *Updates) Ask(ctx context.Context, sessionID string, ask func()) {
	if t.Client.Translate != nil {
		t.show(ctx, sessionID, preview.Waiting())
		defer t.show(context.WithoutCancel(ctx), sessionID, preview.Running())
	}
	ask()
}

func (t *Updates) send(ctx context.Context, sessionID string, update json.RawMessage, meta any) error {
	return t.Client.Notify(ctx, "session/update", acp.Notification{SessionID: sessionID, Update: update, Meta: meta})
}
