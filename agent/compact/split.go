package compact

import (
	"github.com/emendo-dev/emendo/agent/model"
)

// split returns the index of the message before which a conversation is divided, so
// that at least the given share of its tokens comes before. It returns 0 if nothing
// comes before, and len(messages) if everything does.
//
// A conversation is divided before a prompt, or between two rounds of calls, since a
// turn may have hundreds of rounds. A call is never separated from its result. If no
// such place has enough tokens before it, a conversation that ends with an answer is
// not divided, and everything comes before; another is divided at the last place.
func split(messages []model.Message, share float64) int {
	target := share * float64(model.MessagesTokens(messages))
	var older int64
	last := 0
	for i := range messages {
		if divisible(messages, i) {
			if float64(older) >= target {
				return i
			}
			last = i
		}
		older += model.MessagesTokens(messages[i : i+1])
	}
	if n := len(messages); n > 0 && messages[n-1].Role == model.Model && !model.Has[model.Call](messages[n-1]) {
		return n
	}
	return last
}

// divisible reports whether a conversation may be divided before its i-th message.
func divisible(messages []model.Message, i int) bool {
	m := messages[i]
	if m.Role == model.User {
		return !model.Has[model.Result](m)
	}
	return i > 0 && model.Has[model.Result](messages[i-1])
}

// pieces divides messages into as few pieces as possible, each of at most limit
// tokens. A piece that cannot be divided may be larger.
func pieces(messages []model.Message, limit int64, size func([]model.Message) int64) [][]model.Message {
	var out [][]model.Message
	begin, end := 0, 0
	for i := 1; i <= len(messages); i++ {
		if i < len(messages) && !divisible(messages, i) {
			continue
		}
		if size(messages[begin:i]) > limit && end > begin {
			out = append(out, messages[begin:end])
			begin = end
		}
		end = i
	}
	return append(out, messages[begin:])
}
