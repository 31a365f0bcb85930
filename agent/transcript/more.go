package transcript

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// more is the line of a record that only says more of the text in the record
// before it. A log is mostly chunks of messages, and what their records repeat
// is longer than what they say.
type more struct {
	Text string `json:"+"`
}

// chunk is r when more of its text may follow, else the zero record.
func (r Record) chunk() Record {
	if _, ok := r.then("more"); ok {
		return r
	}
	return Record{}
}

// then is the record that says text right after r, at its time, where there can
// be one.
func (r Record) then(text string) (Record, bool) {
	if r.Seq == 0 || text == "" {
		return Record{}, false
	}
	r.Seq++
	switch e := r.Event.(type) { //nolint:gochecksumtype // the other events have no chunks
	case Text:
		r.Event = Text{MessageID: e.MessageID, Part: e.Part, Text: text}
	case Thought:
		r.Event = Thought{MessageID: e.MessageID, Text: text}
	default:
		return Record{}, false
	}
	return r, true
}

// short is the line of a record that follows another, or nil when it takes a
// line of its own.
func (r Record) short(last Record) ([]byte, error) {
	var text string
	switch e := r.Event.(type) { //nolint:gochecksumtype // the other events have no chunks
	case Text:
		text = e.Text
	case Thought:
		text = e.Text
	}
	next, ok := last.then(text)
	next.At = r.At
	if !ok || !reflect.DeepEqual(next, r) {
		return nil, nil
	}
	b, err := unescaped(more{text})
	return append(b, '\n'), err
}

// parseAfter reads the line of a record that stands behind last, which is the
// zero record where nothing does.
func parseAfter(last Record, line []byte) (Record, error) {
	var m more
	if bytes.HasPrefix(line, []byte(`{"+":`)) && json.Unmarshal(line, &m) == nil && m.Text != "" {
		if r, ok := last.then(m.Text); ok {
			return r, nil
		}
	}
	return parseRecord(line)
}
