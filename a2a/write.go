package a2a

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// metadataKey is the key of the metadata of status updates that show an update.
const metadataKey = "emendo"

// The kinds of data that the server sends, in their field "kind".
const (
	kindUpdate      = "update"      // an update of the session, in the form of the Agent Client Protocol
	kindApproval    = "approval"    // a call that needs permission
	kindElicitation = "elicitation" // questions of the model
	kindEnd         = "end"         // how a turn ended
)

// writer reports what happens in a task.
type writer struct {
	queue eventqueue.Writer
	info  a2a.TaskInfo
	begun map[a2a.ArtifactID]bool // the artifacts that the client knows
}

// TaskInfo implements [a2a.TaskInfoProvider].
func (w writer) TaskInfo() a2a.TaskInfo { return w.info }

func (w writer) status(ctx context.Context, s a2a.TaskState) error {
	return w.queue.Write(ctx, w.update(s, nil))
}

func (w writer) update(s a2a.TaskState, parts []a2a.Part) *a2a.TaskStatusUpdateEvent {
	var m *a2a.Message
	if len(parts) > 0 {
		m = a2a.NewMessageForTask(a2a.MessageRoleAgent, w, parts...)
	}
	return a2a.NewStatusUpdateEvent(w, s, m)
}

// finish reports the end of the task, or of this part of it.
func (w writer) finish(ctx context.Context, s a2a.TaskState, text string, data map[string]any) error {
	var parts []a2a.Part
	if text != "" {
		parts = append(parts, a2a.TextPart{Text: text})
	}
	if d, ok := plain(data); ok {
		parts = append(parts, d)
	}
	e := w.update(s, parts)
	e.Final = true
	return w.queue.Write(ctx, e)
}

// question reports a question, on which the task waits. why is what was wrong with the
// answer before; empty if there was none.
func (w writer) question(ctx context.Context, q question, why string) error {
	text, data := q.texts()
	if why != "" {
		text = why + "\n\n" + text
	}
	return w.finish(ctx, a2a.TaskStateInputRequired, text, data)
}

// event reports an event of the session that is shown. The model's text is an artifact
// for each of its messages; other events are updates.
func (w writer) event(ctx context.Context, e transcript.Event) error {
	switch e := e.(type) { //nolint:gochecksumtype // the others are updates
	case transcript.Text:
		if e.Text == "" {
			return nil
		}
		id := a2a.ArtifactID(e.MessageID)
		u := a2a.NewArtifactUpdateEvent(w, id, a2a.TextPart{Text: e.Text})
		u.Artifact.Name, u.Append = "answer", w.begun[id]
		w.begun[id] = true
		return w.queue.Write(ctx, u)
	case transcript.Retract: // the text is written again as another message
		id := a2a.ArtifactID(e.MessageID)
		if !w.begun[id] {
			return nil
		}
		u := a2a.NewArtifactUpdateEvent(w, id, a2a.TextPart{})
		u.Artifact.Name, u.Append, u.LastChunk = "answer", false, true
		return w.queue.Write(ctx, u)
	case transcript.UserChunk, transcript.ResponseFinished, transcript.CommandsChanged, transcript.InfoChanged, transcript.TurnEnded:
		return nil // the client knows them, or learns them from the task
	}
	u := w.update(a2a.TaskStateWorking, nil)
	d, _ := plain(map[string]any{"kind": kindUpdate, "update": acp.Update(e)})
	u.Metadata = map[string]any{metadataKey: d.Data} // the task's history has messages only
	return w.queue.Write(ctx, u)
}

// plain returns data in the types that JSON decodes to: the library copies no
// others. It reports false for no data.
func plain(data map[string]any) (a2a.DataPart, bool) {
	if data == nil {
		return a2a.DataPart{}, false
	}
	var out map[string]any
	b, err := json.Marshal(data)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		panic(fmt.Sprintf("a2a: data that is not JSON: %v", err)) // all of it is made here
	}
	return a2a.DataPart{Data: out}, true
}

// usageOf describes a turn that has ended.
func usageOf(end state.Ended) map[string]any {
	return map[string]any{
		"kind": kindEnd, "stopReason": string(end.StopReason), "usage": acp.UsageOf(end.Usage),
	}
}
