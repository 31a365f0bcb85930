package policy

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// argumentText is a call's arguments as rules see them: JSON with its names in
// order and nothing between its tokens, each pair at the top between two NULs,
// so that an expression can be bound to one argument.
type argumentText struct {
	text string
	// from and to are where the value of the argument "command" stands, without
	// its quotes; to is zero when there is none.
	from, to int
}

// commandName is what stands before the value of the argument "command".
const commandName = `"command":"`

// argumentsOf writes arguments so; false when they are no JSON object in which
// each name stands once.
func argumentsOf(args json.RawMessage) (a argumentText, ok bool) {
	v := jsontext.Value(bytes.Clone(args))
	if len(v) == 0 {
		v = jsontext.Value("{}")
	}
	// Whole numbers stay as they are: as fractions the large ones would be alike.
	if err := v.Canonicalize(jsontext.CanonicalizeRawInts(false)); err != nil || v.Kind() != '{' {
		return a, false
	}
	d := jsontext.NewDecoder(bytes.NewReader(v))
	if _, err := d.ReadToken(); err != nil {
		return a, false
	}
	var b strings.Builder
	b.WriteByte('{')
	for d.PeekKind() == '"' {
		name, err := d.ReadValue()
		if err != nil {
			return a, false
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		command := string(name) == `"command"`
		b.WriteByte(0)
		b.Write(name)
		b.WriteByte(':')
		value, err := d.ReadValue()
		if err != nil {
			return a, false
		}
		if command && value.Kind() == '"' {
			a.from, a.to = b.Len()+1, b.Len()+len(value)-1
		}
		b.Write(value)
		b.WriteByte(0)
	}
	b.WriteByte('}')
	a.text = b.String()
	return a, true
}

// with are the arguments with another command.
func (a argumentText) with(command string) argumentText {
	if a.to == 0 {
		return a
	}
	quoted := inJSON(command)
	return argumentText{a.text[:a.from] + quoted + a.text[a.to:], a.from, a.from + len(quoted)}
}

// inJSON is a text as it stands in JSON, without quotes around it.
func inJSON(text string) string {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil { // no Unicode; what stands for that is quoted too
		quoted, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return string(quoted[1 : len(quoted)-1])
}
