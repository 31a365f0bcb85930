package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/emendo-dev/emendo/internal/redact"
)

// Record is one line of a session's log.
type Record struct {
	Seq   int64     `json:"seq,omitempty"` // only for events that are shown
	Turn  string    `json:"turn,omitempty"`
	At    time.Time `json:"at"`
	Event Event     `json:"-"`
}

// recordLine is a line, with the event or its JSON.
type recordLine[E any] struct {
	Record
	Kind string `json:"kind"`
	Body E      `json:"event"`
}

// kindNamed and kindTyped find kinds by their name in the log and by their type.
var kindNamed, kindTyped = map[string]*kind{}, map[reflect.Type]*kind{}

func init() {
	for i := range kinds {
		k := &kinds[i]
		kindNamed[k.name], kindTyped[reflect.TypeOf(k.event)] = k, k
	}
}

func (k *kind) decode(body json.RawMessage) (Event, error) {
	p := reflect.New(reflect.TypeOf(k.event))
	if err := jsonv1.Unmarshal(body, p.Interface()); err != nil {
		return nil, fmt.Errorf("decode %s event: %w", k.name, err)
	}
	e := p.Elem().Interface().(Event)
	if u, ok := e.(UserChunk); ok && !u.Block.Type.Known() { // of a later version
		return nil, nil
	}
	return e, nil
}

func kindOf(e Event) *kind {
	if k := kindTyped[reflect.TypeOf(e)]; k != nil {
		return k
	}
	panic(fmt.Sprintf("transcript: kinds has no %T", e))
}

// KindOf returns the kind under which the log stores an event.
func KindOf(e Event) string { return kindOf(e).name }

// hasTrait reports whether all events of e's type have a trait.
func hasTrait(e Event, t traits) bool { return e != nil && kindOf(e).is&t != 0 }

// Shown reports whether the user sees the event.
func Shown(e Event) bool {
	switch e := e.(type) { //nolint:gochecksumtype // the others are shown or not by their type
	case Text:
		return e.Text != ""
	case ModeChanged:
		return !e.Quiet
	case ModelChanged:
		return !e.Quiet
	}
	return hasTrait(e, shown)
}

// ShownKinds returns the zero value of every type of event that can be shown.
func ShownKinds() (events []Event) {
	for _, k := range kinds {
		if k.is&shown != 0 {
			events = append(events, k.event)
		}
	}
	return events
}

// redactable is an event with texts that may have secrets of this process.
type redactable interface {
	redacted(s *redact.Redactor) Event
}

// Redacted returns the event without the secrets of this process, for the history, the
// log and the client. It does not change prompts and file contents; the log redacts those.
func Redacted(e Event, s *redact.Redactor) Event {
	if r, ok := e.(redactable); ok {
		return r.redacted(s)
	}
	return e
}

// line encodes a record, including the newline that completes it.
func (r Record) line() ([]byte, error) {
	line, err := unescaped(recordLine[Event]{r, KindOf(r.Event), r.Event})
	if err != nil {
		return nil, fmt.Errorf("encode %s event: %w", KindOf(r.Event), err)
	}
	return append(line, '\n'), nil
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
// this version. The package that reads it does as encoding/json does, three times as fast:
// nearly all the time in which a long session is opened goes into it.
func parseRecord(line []byte) (Record, error) {
	var l recordLine[json.RawMessage]
	if err := jsonv1.Unmarshal(line, &l); err != nil {
		return Record{}, err
	}
	if k := kindNamed[l.Kind]; k != nil {
		e, err := k.decode(l.Body)
		if err != nil {
			return Record{}, err
		}
		l.Event = e
	}
	return l.Record, nil
}
