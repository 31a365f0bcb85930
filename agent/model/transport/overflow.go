package transport

import (
	"regexp"
	"strconv"
)

// What providers, servers and gateways say of a request that is too long. A gateway
// passes on the words of the server behind it, whatever API it speaks itself. Those in
// overflows mean nothing else; those in tooMuch are also said of pictures, of the length
// of the answer and of single fields, which a shorter conversation does not change.
const (
	overflows = `(?i)maximum (context|prompt) length|exceeds? the (available )?context|context[ _](window|length|size)( of this model)?( is| was)?[ _]exceeded|exceeds? (the )?(model'?s )?(maximum )?context (window|length|size|limit)|ContextWindowExceeded|(prompt|input|request) is too long|context the overflows|input token count.*exceeds|payload size exceeds|max_model_len|exceed_context_size|context (window|length|size) is only|too many input tokens|tokens in the prompt cannot exceed|.inputs. tokens \+ |reduce the length of the (messages|prompt|input)|string too long.* maximum length [0-9]{5}`
	tooMuch   = `(?i)(prompt|input) (length )?exceeds|token count.*exceeds|exceeds the (maximum|model's).*tokens?`
	ofOthers  = `(?i)\b(images?|pictures?|audio|videos?|files?|pdfs?|pages|documents?|bytes|seconds|output|completion|max_(completion_|new_|output_)?tokens|maxOutputTokens|budget|budget_tokens|thinking|names?|descriptions?|schemas?|enums?|properties|tools|functions|metadata|per (minute|min|day))\b`
	longest   = `(?i)(?:maximum (?:context|prompt) length (?:is|of)|context (?:window|length|size)(?: of| is)?(?: only)?|n_ctx[ =:]+|max_model_len[ =:]+|maximum number of tokens allowed|> (?:maximum|max|limit)?) ?\(?([0-9]+)`
	resulted  = `(?i)(?:resulted in|requested|(?:prompt|request|messages?|input)s? (?:contains?|has|have)(?: at least)?|(?:request|prompt) \(|n_prompt_tokens[ =:]+|token count(?: is)?|passed) ?\(?(?:about )?([0-9]+)`
)

// Matches reports whether text contains a match of pattern, for a text that is rare, such as a
// refusal: other patterns are compiled once.
func Matches(pattern, text string) bool { return regexp.MustCompile(pattern).MatchString(text) }

// Overflow reports whether a provider's message says that a request is too long, and if
// so how many tokens it has and how many the model takes; 0 for what is not said.
func Overflow(message string) (counted, limit int64, ok bool) {
	if !Matches(overflows, message) && (!Matches(tooMuch, message) || Matches(ofOthers, message)) {
		return 0, 0, false
	}
	number := func(m []string) int64 {
		if m == nil {
			return 0
		}
		n, _ := strconv.ParseInt(m[1], 10, 64) // 0 if it is too large
		return n
	}
	counted, limit = number(regexp.MustCompile(resulted).FindStringSubmatch(message)), number(regexp.MustCompile(longest).FindStringSubmatch(message))
	if counted > 0 && counted <= limit { // the answer's length counts as well
		counted = 0
	}
	return counted, limit, true
}
