package policy

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// An argumentText holds a call's arguments as rules see them: JSON with sorted
// names and without white space, each top-level pair between two NULs, so that
// an expression can be anchored to one argument.
type argumentText struct {
	JSON string
	// From and To delimit the value of the argument "command" without its
	// quotes; To is zero if there is none.
	From, To int
}

// commandKey precedes the value of the argument "command".
const commandKey = `"command":"`

// textOf returns the text of arguments; false unless they are a JSON
// object without duplicate names.
func textOf(args json.RawMessage) (a argumentText, ok bool) {
	v := jsontext.Value(bytes.Clone(args))
	if len(v) == 0 {
		v = jsontext.Value("{}")
	}
	// Integers are kept as written: as floats, large ones would be equal.
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
			a.From, a.To = b.Len()+1, b.Len()+len(value)-1
		}
		b.Write(value)
		b.WriteByte(0)
	}
	b.WriteByte('}')
	a.JSON = b.String()
	return a, true
}

// withCommand returns the arguments with another command.
func (a argumentText) withCommand(command string) argumentText {
	if a.To == 0 {
		return a
	}
	quoted := inJSON(command)
	return argumentText{a.JSON[:a.From] + quoted + a.JSON[a.To:], a.From, a.From + len(quoted)}
}

// inJSON returns a text as a JSON string without quotes.
func inJSON(text string) string {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil { // not valid UTF-8: its replacement is quoted too
		quoted, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return string(quoted[1 : len(quoted)-1])
}
