package transcript

import "time"

// Update is an event that is sent to the user.
type Update struct {
	SessionID string
	Seq       int64 // counts a session's updates, from 1
	TurnID    string
	Replay    bool
	At        time.Time
	Event     Event
}

// UpdatesOf returns the updates in rs with number from and later, with the chunks of
// each message merged, and the number of the next update.
func UpdatesOf(session string, rs []Record, from int64) (out []Update, next int64) {
	return updatesOf(session, rs, Lost(rs), from)
}

// updatesOf is [UpdatesOf], of records of which some were removed by rewinds.
func updatesOf(session string, rs []Record, gone []bool, from int64) (out []Update, next int64) {
	next = 1
	for i, r := range rs {
		if r.Seq == 0 {
			continue
		}
		next = r.Seq + 1
		if r.Seq < from || r.Event == nil || gone[i] {
			continue
		}
		u := Update{SessionID: session, Seq: r.Seq, TurnID: r.Turn, At: r.At, Event: r.Event}
		if n := len(out); n > 0 && out[n-1].TurnID == u.TurnID {
			if e, ok := Merge(out[n-1].Event, u.Event); ok {
				u.Event = e
				out[n-1] = u
				continue
			}
		}
		out = append(out, u)
	}
	return out, next
}

// Merge combines two consecutive events into an equivalent one, if possible.
func Merge(a, b Event) (Event, bool) {
	switch b := b.(type) { //nolint:gochecksumtype // the other events stand alone
	case Text:
		a, ok := a.(Text)
		if !ok || a.MessageID != b.MessageID || a.Part != b.Part {
			return nil, false
		}
		a.Text += b.Text
		return a, true
	case Thought:
		a, ok := a.(Thought)
		if !ok || a.MessageID != b.MessageID || b.Subject != "" {
			return nil, false
		}
		a.Text += b.Text
		return a, true
	case ToolUpdate:
		a, ok := a.(ToolUpdate)
		if !ok || a.CallID != b.CallID || a.State != Executing || b.State != Executing || a.Live == "" || b.Live == "" {
			return nil, false
		}
		return b, true
	}
	return nil, false
}
