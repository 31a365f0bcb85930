package textcall

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/emendo-dev/emendo/agent/model"
)

// maxCall bounds one call, in bytes.
const maxCall = 4 << 20

// parser finds calls in a text that arrives in pieces.
type parser struct {
	held            string          // text that may be the beginning of a marker
	mid             bool            // text of the current line has been passed on
	call            strings.Builder // of the current call
	open            bool            // inside of a call
	quoted, escaped bool            // inside of a JSON string in it, after a backslash there
	calls           []model.Call
	wrong           string // why the answer is malformed; empty: it is not
	body            string // of the call that is wrong
}

// maxShown is how much of a wrong call the model reads again, in bytes.
const maxShown = 400

// why returns what is wrong with the answer, with the call that it is about.
func (p *parser) why() string {
	body := strings.TrimSpace(p.body)
	if body == "" {
		return p.wrong
	}
	if len(body) > maxShown {
		body = strings.ToValidUTF8(body[:maxShown/2], "") + " … " + strings.ToValidUTF8(body[len(body)-maxShown/2:], "")
	}
	return p.wrong + ": " + body
}

// feed takes the next piece of the text, and returns what is certain not to be part
// of a call.
func (p *parser) feed(text string) (said string) {
	var out strings.Builder
	p.held += text
	for p.wrong == "" {
		if p.open {
			if !p.inside() {
				break
			}
			continue
		}
		if !p.outside(&out) {
			break
		}
	}
	if p.wrong != "" {
		p.held = ""
	}
	return out.String()
}

// outside passes text on up to the next marker. It reports false if more text is
// needed.
func (p *parser) outside(out *strings.Builder) bool {
	for p.held != "" {
		if p.mid { // a marker only begins a line
			i := strings.IndexByte(p.held, '\n')
			if i < 0 {
				p.pass(out, len(p.held))
				return false
			}
			p.pass(out, i+1)
			p.mid = false
			continue
		}
		switch {
		case strings.HasPrefix(p.held, callBegin):
			p.held, p.open = p.held[len(callBegin):], true
			return true
		case strings.HasPrefix(p.held, resultBegin):
			p.wrong = "the model wrote the result of a tool"
			return false
		case strings.HasPrefix(p.held, callEnd):
			p.wrong = "a call ends that did not begin"
			return false
		case isPrefix(p.held, callBegin), isPrefix(p.held, resultBegin), isPrefix(p.held, callEnd):
			return false
		case p.held[0] == '\n':
			p.pass(out, 1)
		default:
			p.mid = true
		}
	}
	return false
}

// isPrefix reports whether a marker may begin with text.
func isPrefix(text, marker string) bool { return strings.HasPrefix(marker, text) }

// pass passes the first n bytes on. White space between calls is left out.
func (p *parser) pass(out *strings.Builder, n int) {
	text := p.held[:n]
	p.held = p.held[n:]
	if len(p.calls) == 0 {
		out.WriteString(text)
		return
	}
	if strings.TrimSpace(text) != "" {
		p.wrong = "there is text after a call"
	}
}

// inside takes text up to the end of a call, which is not in a JSON string. It
// reports false if more is needed.
func (p *parser) inside() bool {
	for i := 0; i < len(p.held); i++ {
		switch b := p.held[i]; {
		case p.escaped:
			p.escaped = false
		case b == '\\':
			p.escaped = p.quoted
		case b == '"':
			p.quoted = !p.quoted
		case b == '<' && !p.quoted:
			rest := p.held[i:]
			if strings.HasPrefix(rest, callEnd) {
				p.call.WriteString(p.held[:i])
				p.held = rest[len(callEnd):]
				return p.ended()
			}
			if isPrefix(rest, callEnd) {
				p.call.WriteString(p.held[:i])
				p.held = rest
				return false
			}
		}
	}
	p.call.WriteString(p.held)
	p.held = ""
	if p.call.Len() > maxCall {
		p.wrong = "a call is too long"
	}
	return false
}

// ended reads the call that ended.
func (p *parser) ended() bool {
	p.body = p.call.String()
	c, wrong := parse(p.body)
	p.open, p.quoted, p.escaped = false, false, false
	p.call.Reset()
	if p.wrong = wrong; wrong != "" {
		return false
	}
	p.calls = append(p.calls, c)
	return true
}

// end returns what was held back, and the calls; false if the answer is malformed.
func (p *parser) end() (rest string, calls []model.Call, ok bool) {
	if p.open && p.wrong == "" {
		p.wrong, p.body = "a call does not end", p.call.String()
	}
	if p.wrong != "" {
		return "", nil, false
	}
	if p.held != "" && len(p.calls) > 0 && strings.TrimSpace(p.held) != "" {
		p.wrong = "there is text after a call"
		return "", nil, false
	}
	if len(p.calls) > 0 {
		return "", p.calls, true
	}
	return p.held, nil, true
}

// parse reads the object of a call. It returns why it is not one.
func parse(body string) (c model.Call, wrong string) {
	v := jsontext.Value(strings.TrimSpace(body))
	if !v.IsValid() { // it also rejects names that occur twice
		return c, "a call is not valid JSON"
	}
	if v.Kind() != '{' {
		return c, "a call is not a JSON object"
	}
	var in struct {
		Name      *string        `json:"name"`
		Arguments jsontext.Value `json:"arguments"`
	}
	if json.Unmarshal(v, &in, json.RejectUnknownMembers(true)) != nil {
		return c, "a call has other fields than name and arguments"
	}
	args := bytes.TrimSpace(in.Arguments)
	if in.Name == nil || *in.Name == "" || len(args) == 0 || args[0] != '{' {
		return c, "a call lacks its name or its arguments"
	}
	return model.Call{ID: model.NewCallID(), Name: *in.Name, Args: args}, ""
}
