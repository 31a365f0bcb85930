package openai

import "strings"

// thinkingTags are the tags in which open models think at the beginning of an answer,
// where their server does not take the thoughts out.
var thinkingTags = []string{"think", "thinking", "thought"}

// tagged parts thoughts in tags at the beginning of an answer from its text.
type tagged struct {
	held  string // may be a part of a tag
	end   string // the tag that ends the thought; empty: it is not in one
	begun bool   // the answer has begun
	trims bool   // line ends after the thought are left out
}

// split takes the next piece of the answer.
func (t *tagged) split(text string) (thought, said string) {
	t.held += text
	if !t.begun {
		begin := strings.TrimLeft(t.held, " \t\r\n")
		for _, name := range thinkingTags {
			tag := "<" + name + ">"
			if strings.HasPrefix(begin, tag) {
				t.begun, t.end, t.held = true, "</"+name+">", strings.TrimLeft(begin[len(tag):], "\r\n")
				break
			}
			if strings.HasPrefix(tag, begin) {
				return "", ""
			}
		}
		t.begun = true
	}
	if t.end != "" {
		at := strings.Index(t.held, t.end)
		if at < 0 {
			keep := partOf(t.held, t.end)
			thought, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
			return thought, ""
		}
		thought, t.held = strings.TrimRight(t.held[:at], "\r\n"), t.held[at+len(t.end):]
		t.end, t.trims = "", true
	}
	if t.trims {
		t.held = strings.TrimLeft(t.held, "\r\n")
		t.trims = t.held == ""
	}
	said, t.held = t.held, ""
	return thought, said
}

// remainder returns what is held back at the end of the answer.
func (t *tagged) remainder() (thought, said string) {
	if t.end != "" {
		return t.held, ""
	}
	return "", t.held
}

// partOf returns how many bytes at the end of a text may begin a tag.
func partOf(text, tag string) int {
	for n := min(len(text), len(tag)-1); n > 0; n-- {
		if strings.HasPrefix(tag, text[len(text)-n:]) {
			return n
		}
	}
	return 0
}
