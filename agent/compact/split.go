package compact

import (
	"slices"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/tokens"
)

// split finds the message before which a conversation is divided, so that at
// least that share of its tokens is older: 0 when there is nothing older, the
// number of messages when nothing is to be kept.
//
// It is divided where the user asks something, or between two rounds of calls:
// a turn of hundreds of rounds has no other place. A call is never parted from
// its answer. Where the last such place comes too early, all of a conversation
// that rests is older, and of one in which the user or a tool spoke last what
// comes before that place.
func split(messages []model.Message, share float64) int {
	target := share * float64(tokens.Messages(messages))
	var older int64
	last := 0
	for i, m := range messages {
		if parts(messages, i) {
			if float64(older) >= target {
				return i
			}
			last = i
		}
		older += tokens.Message(m)
	}
	if n := len(messages); n > 0 && messages[n-1].Role == model.Model && !holds[model.Call](messages[n-1]) {
		return n
	}
	return last
}

// parts reports whether a conversation may be divided before its i-th message.
func parts(messages []model.Message, i int) bool {
	m := messages[i]
	if m.Role == model.User {
		return !holds[model.Result](m)
	}
	return i > 0 && holds[model.Result](messages[i-1])
}

// pieces divides messages where that may be, into as few as fit the room, in
// tokens. What cannot be divided may be larger.
func pieces(messages []model.Message, room int64, size func([]model.Message) int64) [][]model.Message {
	var out [][]model.Message
	begin, end := 0, 0
	for i := 1; i <= len(messages); i++ {
		if i < len(messages) && !parts(messages, i) {
			continue
		}
		if size(messages[begin:i]) > room && end > begin {
			out = append(out, messages[begin:end])
			begin = end
		}
		end = i
	}
	return append(out, messages[begin:])
}

// holds reports whether a message has a part of type T.
func holds[P model.Part](m model.Message) bool {
	return slices.ContainsFunc(m.Parts, func(p model.Part) bool { _, ok := p.(P); return ok })
}
