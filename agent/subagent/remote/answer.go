package remote

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/emendo-dev/emendo/tools"
)

// Limits of what is kept of an answer.
const (
	maxAnswer   = 1 << 20 // bytes of its text
	maxPieces   = 1000    // messages, and artifacts
	maxActivity = 8       // lines of progress
	maxTail     = 2 << 10 // bytes of the newest text in the progress
)

// answer holds what an agent has said so far: its messages, and its artifacts by ID.
type answer struct {
	info      a2a.TaskInfo
	state     a2a.TaskState
	status    *a2a.Message // of the newest status
	messages  []string
	artifacts []artifact
	size      int // bytes of all texts
	lost      int // bytes that were dropped
	activity  []string
}

type artifact struct {
	id   a2a.ArtifactID
	name string
	text string
}

// apply adds an event.
func (a *answer) apply(e a2a.Event) {
	if info := e.TaskInfo(); info.TaskID != "" {
		a.info = info
	}
	switch e := e.(type) {
	case *a2a.Message: // the whole answer, without a task
		a.info.ContextID, a.state = e.ContextID, a2a.TaskStateCompleted
		a.message(e)
	case *a2a.Task:
		a.applyTask(e)
	case *a2a.TaskStatusUpdateEvent:
		a.update(e.Status)
		a.addActivity(callOf(e.Metadata))
	case *a2a.TaskArtifactUpdateEvent:
		if e.Artifact != nil {
			a.artifact(e.Artifact, e.Append)
		}
	}
}

// applyTask takes a whole task, whose artifacts replace those that were streamed.
func (a *answer) applyTask(t *a2a.Task) {
	a.artifacts, a.size, a.lost = nil, 0, 0
	for _, m := range a.messages {
		a.size += len(m)
	}
	for _, x := range t.Artifacts {
		if x != nil {
			a.artifact(x, false)
		}
	}
	a.update(t.Status)
	if !a.state.Terminal() || len(a.messages)+len(a.artifacts) > 0 {
		return
	}
	for _, m := range slices.Backward(t.History) {
		if m != nil && m.Role == a2a.MessageRoleAgent {
			a.message(m)
			return
		}
	}
}

// update takes a status. The message of one that asks is no part of the answer.
func (a *answer) update(s a2a.TaskStatus) {
	a.state, a.status = s.State, s.Message
	if s.Message == nil || a.waitsForUser() {
		return
	}
	text := a.message(s.Message)
	if !s.State.Terminal() {
		a.addActivity(text)
	}
}

// waitsForUser reports whether the task waits for an answer.
func (a *answer) waitsForUser() bool {
	return a.state == a2a.TaskStateInputRequired || a.state == a2a.TaskStateAuthRequired
}

// ended reports whether nothing more comes without another message.
func (a *answer) ended() bool { return a.state.Terminal() || a.waitsForUser() }

// message adds a message of the agent's, unless it repeats the one before. It
// returns its text.
func (a *answer) message(m *a2a.Message) string {
	text := strings.TrimSpace(textOf(m.Parts))
	if n := len(a.messages); m.Role == a2a.MessageRoleUser || text == "" || n > 0 && a.messages[n-1] == text || n >= maxPieces {
		return text
	}
	a.messages = append(a.messages, a.bounded(text))
	return text
}

// artifact adds to an artifact, or replaces it.
func (a *answer) artifact(x *a2a.Artifact, adds bool) {
	text := textOf(x.Parts)
	i := slices.IndexFunc(a.artifacts, func(o artifact) bool { return o.id == x.ID })
	switch {
	case i < 0 && len(a.artifacts) >= maxPieces:
		a.lost += len(text)
	case i < 0:
		a.artifacts = append(a.artifacts, artifact{x.ID, x.Name, a.bounded(text)})
	case adds:
		a.artifacts[i].text += a.bounded(text)
	default:
		a.size -= len(a.artifacts[i].text)
		a.artifacts[i].text = a.bounded(text)
	}
}

// bounded returns as much of a text as there is still space for.
func (a *answer) bounded(text string) string {
	kept := strings.ToValidUTF8(text[:min(len(text), max(maxAnswer-a.size, 0))], "")
	a.size += len(kept)
	a.lost += len(text) - len(kept)
	return kept
}

// addActivity adds a line about what the agent does; empty adds none.
func (a *answer) addActivity(line string) {
	line = tools.ShownLine(line, 160)
	if n := len(a.activity); line == "" || n > 0 && a.activity[n-1] == line {
		return
	}
	a.activity = append(a.activity, line)
	a.activity = a.activity[max(len(a.activity)-maxActivity, 0):]
}

// progress describes what the agent does now: its last steps, and the end of what
// it writes.
func (a *answer) progress() string {
	l := slices.Clone(a.activity)
	if n := len(a.artifacts); n > 0 {
		text := a.artifacts[n-1].text
		l = append(l, strings.ToValidUTF8(text[max(len(text)-maxTail, 0):], ""))
	}
	return strings.Join(l, "\n") + "\n"
}

// text returns the whole answer.
func (a *answer) text() string {
	var l []string
	if len(a.messages) > 0 {
		l = append(l, strings.Join(a.messages, "\n"))
	}
	alike := !slices.ContainsFunc(a.artifacts, func(x artifact) bool { return x.name != a.artifacts[0].name })
	for _, x := range a.artifacts {
		switch {
		case x.text == "": // taken back
		case alike || x.name == "":
			l = append(l, x.text)
		default:
			l = append(l, "Artifact ("+tools.ShownLine(x.name, 100)+"):\n"+x.text)
		}
	}
	if a.lost > 0 {
		l = append(l, fmt.Sprintf("(%d bytes are left out here: the answer is too long)", a.lost))
	}
	return strings.Join(l, "\n\n")
}

// kindEnd is the kind of the data with which emendo ends a task.
const kindEnd = "end"

// textOf returns parts as text. Files are named.
func textOf(parts a2a.ContentParts) string {
	var l []string
	for _, p := range parts {
		switch p := p.(type) {
		case a2a.TextPart:
			l = append(l, p.Text)
		case a2a.DataPart:
			if p.Data["kind"] == kindEnd {
				continue
			}
			if b, err := json.Marshal(p.Data); err == nil {
				l = append(l, "Data: "+string(b))
			}
		case a2a.FilePart:
			switch f := p.File.(type) {
			case a2a.FileBytes:
				l = append(l, "File: "+f.Name)
			case a2a.FileURI:
				l = append(l, "File: "+f.URI)
			}
		}
	}
	return strings.Join(l, "\n")
}

// callOf returns the title of the call that a status of emendo's shows; empty if it
// shows none.
func callOf(metadata map[string]any) string {
	data, _ := metadata["emendo"].(map[string]any)
	update, _ := data["update"].(map[string]any)
	if update["sessionUpdate"] != "tool_call" {
		return ""
	}
	title, _ := update["title"].(string)
	return title
}
