package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// aroundFault is how much of broken arguments is quoted on each side of the fault, in
// bytes.
const aroundFault = 120

// NewCall returns a call with the arguments that a model wrote. If they are not a JSON
// object, or name is empty, the call is a broken one. Nothing at all counts as an empty
// object. id is the provider's ID of the call.
func NewCall(id, name string, args []byte) Call {
	c := Call{ID: NewCallID(), ProviderID: id, Name: name, Args: json.RawMessage("{}")}
	raw := bytes.TrimSpace(bytes.ToValidUTF8(args, []byte("\ufffd")))
	switch fault := faultIn(raw); {
	case name == "":
		c.Name, c.Broken = "unnamed", "The call was not run: it names no tool."
	case fault != "":
		c.Broken = "The call was not run: its arguments are not a JSON object. " + fault + " Call again, with all arguments in one JSON object."
	case len(raw) > 0:
		c.Args = json.RawMessage(raw)
	}
	return c
}

// faultIn returns sentences about what is wrong with arguments; "" if nothing is.
func faultIn(raw []byte) string {
	if len(raw) == 0 {
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	err := dec.Decode(&v)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		at := min(max(int(syntax.Offset)-1, 0), len(raw))
		return fmt.Sprintf("They have an error at byte %d: %s. There they are: %s", at, syntax.Error(), quoted(raw, at))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "They end before the object does. Their end is: " + quoted(raw, len(raw))
	case err != nil:
		return fmt.Sprintf("Reading them: %v. They begin: %s", err, quoted(raw, 0))
	}
	if rest := bytes.TrimSpace(raw[dec.InputOffset():]); len(rest) > 0 {
		return fmt.Sprintf("There is more after the end of the first value, at byte %d: %s", dec.InputOffset(), quoted(raw, int(dec.InputOffset())))
	}
	if _, ok := v.(map[string]any); !ok {
		return "They are " + kindOfJSON(v) + ": " + quoted(raw, 0)
	}
	return ""
}

func kindOfJSON(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case []any:
		return "a list"
	case json.Number:
		return "a number"
	case bool:
		return "a truth value"
	}
	return "null"
}

// quoted returns the text around a place, in one line and in quotes.
func quoted(raw []byte, at int) string {
	from, to := max(at-aroundFault, 0), min(at+aroundFault, len(raw))
	text := strings.ToValidUTF8(string(raw[from:to]), "")
	if from > 0 {
		text = "…" + text
	}
	if to < len(raw) {
		text += "…"
	}
	return "`" + strings.NewReplacer("\n", "\\n", "\r", "\\r", "\t", "\\t").Replace(text) + "`."
}

// MalformedAdvice tells a model that its answer had a call that nothing could be made of.
// why is what the provider says about it, or empty.
func MalformedAdvice(why string) string {
	text := "Your answer had a malformed tool call, so nothing was run."
	if why = strings.TrimSpace(why); why != "" {
		text += " What was wrong with it: " + strings.TrimRight(why, ". ") + "."
	}
	return text + " Call again, in the form in which tools are called here."
}
