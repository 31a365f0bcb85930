package hooks

import "slices"

// Event names a moment at which hooks run.
type Event string

// The events.
const (
	BeforeTool          Event = "BeforeTool"
	AfterTool           Event = "AfterTool"
	BeforeAgent         Event = "BeforeAgent"
	AfterAgent          Event = "AfterAgent"
	SessionStart        Event = "SessionStart"
	SessionEnd          Event = "SessionEnd"
	PreCompress         Event = "PreCompress"
	BeforeModel         Event = "BeforeModel"
	AfterModel          Event = "AfterModel"
	BeforeToolSelection Event = "BeforeToolSelection"
	Notification        Event = "Notification"
)

// Events returns all events.
func Events() []Event {
	return []Event{
		BeforeTool, AfterTool, BeforeAgent, AfterAgent, SessionStart, SessionEnd,
		PreCompress, BeforeModel, AfterModel, BeforeToolSelection, Notification,
	}
}

// ofTool reports whether matchers of the event are compared with a tool's name.
func (e Event) ofTool() bool { return e == BeforeTool || e == AfterTool }

// triggered reports whether matchers of the event are compared with its
// trigger.
func (e Event) triggered() bool {
	return slices.Contains([]Event{SessionStart, SessionEnd, PreCompress}, e)
}

// Decides reports whether hooks of the event can block what is about to happen,
// or end the turn.
func (e Event) Decides() bool {
	return slices.Contains([]Event{BeforeTool, AfterTool, BeforeAgent, AfterAgent, BeforeModel, AfterModel}, e)
}
