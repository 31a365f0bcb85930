package sessiontest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/agent/model/catalogue"
)

// longText is the length, in bytes, from which a text is abbreviated.
const longText = 3000

// brief returns the beginning and the end of a long text.
func brief(text string) string {
	if len(text) < longText {
		return text
	}
	const shown = 100
	return fmt.Sprintf("%s (… %d bytes in all …) %s", strings.ToValidUTF8(text[:shown], ""), len(text), strings.ToValidUTF8(text[len(text)-shown:], ""))
}

// repeated returns N numbered copies of a line: "N TEXT".
func repeated(words string) (string, error) {
	times, text := word(words)
	n, err := strconv.Atoi(times)
	if err != nil {
		return "", fmt.Errorf("%q is no number: %w", times, err)
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", text, i+1)
	}
	return b.String(), nil
}

// setLimit sets the model's token limit.
func (p *play) setLimit(words string) error {
	n, err := strconv.ParseInt(words, 10, 64)
	p.limit.Store(n)
	return err
}

func (p *play) contextLimit(name string) int64 {
	if n := p.limit.Load(); n > 0 {
		return n
	}
	return catalogue.ContextLimit(name)
}

// compact compacts the session, with instructions on what to keep, and checks
// the status: "compacted WORDS".
func (p *play) compact(words string) error {
	want, focus := word(words)
	var answer struct {
		Status string `json:"status"`
	}
	if err := p.request("emendo/session/compact", object{"sessionId": p.session.id, "focus": focus}, &answer); err != nil {
		return err
	}
	if answer.Status != want {
		return fmt.Errorf("it is %s", answer.Status)
	}
	return nil
}
