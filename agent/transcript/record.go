package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Record is one line of a session's log.
type Record struct {
	Seq   int64     `json:"seq,omitempty"` // only for events that are shown
	Turn  string    `json:"turn,omitempty"`
	At    time.Time `json:"at"`
	Event Event     `json:"-"`
}

// recordHead is a line without its event, which follows.
type recordHead struct {
	Record
	Kind string `json:"kind"`
}

type recordLine struct {
	recordHead
	Body json.RawMessage `json:"event"`
}

// kinds maps the names of events in the log to their decoders. Names never change: a
// log outlives the program that wrote it.
var kinds = map[string]func(json.RawMessage) (Event, error){
	"user":       decodeUser,
	"text":       decode[Text],
	"thought":    decode[Thought],
	"reasoning":  decode[Reasoning],
	"call":       decode[ToolCall],
	"call_state": decode[ToolUpdate],
	"plan":       decode[Plan],
	"commands":   decode[CommandsChanged],
	"mode":       decode[ModeChanged],
	"model":      decode[ModelChanged],
	"info":       decode[InfoChanged],
	"usage":      decode[UsageUpdated],
	"notice":     decode[Notice],
	"compaction": decode[Compaction],
	"retract":    decode[Retract],
	"finished":   decode[ResponseFinished],
	"turn_ended": decode[TurnEnded],
	"started":    decode[Started],
	"given":      decode[Given],
	"withdrawn":  decode[Withdrawn],
	"shortened":  decode[Shortened],
	"excluded":   decode[Excluded],
	"vouched":    decode[Vouched],
	"folders":    decode[FoldersAdded],
	"proposals":  decode[Proposals],
	"decisions":  decode[Decisions],
	"summarised": decode[Summarised],
	"summary":    decode[Summary],
	"rewound":    decode[Rewound],
	"queued":     decode[Queued],
	"unqueued":   decode[Unqueued],
}

func decode[E Event](b json.RawMessage) (Event, error) {
	var e E
	err := json.Unmarshal(b, &e)
	return e, err
}

// decodeUser returns no event for a block type of a later version.
func decodeUser(b json.RawMessage) (Event, error) {
	var e UserChunk
	if err := json.Unmarshal(b, &e); err != nil || !e.Block.Type.Known() {
		return nil, err
	}
	return e, nil
}

// KindOf returns the kind under which the log stores an event.
func KindOf(e Event) string {
	switch e.(type) {
	case UserChunk:
		return "user"
	case Text:
		return "text"
	case Thought:
		return "thought"
	case Reasoning:
		return "reasoning"
	case ToolCall:
		return "call"
	case ToolUpdate:
		return "call_state"
	case Plan:
		return "plan"
	case CommandsChanged:
		return "commands"
	case ModeChanged:
		return "mode"
	case ModelChanged:
		return "model"
	case InfoChanged:
		return "info"
	case UsageUpdated:
		return "usage"
	case Notice:
		return "notice"
	case Compaction:
		return "compaction"
	case Retract:
		return "retract"
	case ResponseFinished:
		return "finished"
	case TurnEnded:
		return "turn_ended"
	case Started:
		return "started"
	case Given:
		return "given"
	case Withdrawn:
		return "withdrawn"
	case Shortened:
		return "shortened"
	case Excluded:
		return "excluded"
	case Vouched:
		return "vouched"
	case FoldersAdded:
		return "folders"
	case Proposals:
		return "proposals"
	case Decisions:
		return "decisions"
	case Summarised:
		return "summarised"
	case Summary:
		return "summary"
	case Rewound:
		return "rewound"
	case Queued:
		return "queued"
	case Unqueued:
		return "unqueued"
	}
	panic(fmt.Sprintf("transcript: unknown event %T", e))
}

// Shown reports whether the user sees the event.
func Shown(e Event) bool {
	switch e := e.(type) {
	case Text:
		return e.Text != ""
	case ModeChanged:
		return !e.Quiet
	case ModelChanged:
		return !e.Quiet
	case Queued, Unqueued:
		return false
	case UserChunk, Thought, ToolCall, ToolUpdate, Plan, CommandsChanged, InfoChanged, UsageUpdated, Notice, Compaction, Retract, ResponseFinished, TurnEnded:
		return true
	case Started, Reasoning, Given, Withdrawn, Shortened, Excluded, Vouched, FoldersAdded, Proposals, Decisions, Summarised, Summary, Rewound:
		return false
	}
	panic(fmt.Sprintf("transcript: unknown event %T", e))
}

// line encodes a record, including the newline that completes it.
func (r Record) line() ([]byte, error) {
	body, err := unescaped(r.Event)
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", KindOf(r.Event), err)
	}
	head, err := unescaped(recordHead{r, KindOf(r.Event)})
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", KindOf(r.Event), err)
	}
	line := append(head[:len(head)-1], `,"event":`...)
	return append(append(line, body...), "}\n"...), nil
}

// unescaped encodes v as JSON without escaping HTML.
func unescaped(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// parseRecord parses a line. The Event of a record is nil if its kind is unknown to
// this version.
func parseRecord(line []byte) (Record, error) {
	var l recordLine
	if err := json.Unmarshal(line, &l); err != nil {
		return Record{}, err
	}
	if f := kinds[l.Kind]; f != nil {
		e, err := f(l.Body)
		if err != nil {
			return Record{}, fmt.Errorf("decode %s event: %w", l.Kind, err)
		}
		l.Event = e
	}
	return l.Record, nil
}
