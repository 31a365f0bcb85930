package openaitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
)

// raw is a value that is not checked further.
type raw = json.RawMessage

var unknownField = regexp.MustCompile(`unknown field "(.*)"`)

// strict decodes data into out, and rejects fields that the API does not have. at is
// where data is in the request.
func strict(at string, data []byte, out any) *Refusal {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(out)
	if err == nil {
		return nil
	}
	if m := unknownField.FindStringSubmatch(err.Error()); m != nil {
		name := strings.TrimPrefix(at+"."+m[1], ".")
		return coded("unknown_parameter", name, "Unknown parameter: '%s'.", name)
	}
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		name := strings.Trim(at+"."+mismatch.Field, ".")
		return coded("invalid_type", name, "Invalid type for '%s': expected %s, but got %s instead.", name, mismatch.Type, mismatch.Value)
	}
	return invalid("", "We could not parse the JSON body of your request: %v", err)
}

// typeOf returns the type field of an object.
func typeOf(data []byte) string {
	var in struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(data, &in) != nil {
		return ""
	}
	return in.Type
}

// isText decodes a JSON string.
func isText(data []byte) (string, bool) {
	var text string
	if len(data) == 0 || data[0] != '"' || json.Unmarshal(data, &text) != nil {
		return "", false
	}
	return text, true
}

// oneOf rejects a word that is not one of those.
func oneOf(param, word string, words ...string) *Refusal {
	if slices.Contains(words, word) {
		return nil
	}
	return coded("invalid_value", param, "Invalid value: '%s'. Supported values are: '%s'.", word, strings.Join(words, "', '"))
}

var dataURLs = regexp.MustCompile(`^data:([\w.+-]+/[\w.+-]+);base64,([A-Za-z0-9+/]+=*)$`)

// checkImage rejects a URL of a picture that the API cannot read.
func checkImage(at, url string) *Refusal {
	if strings.HasPrefix(url, "https://") {
		return nil
	}
	m := dataURLs.FindStringSubmatch(url)
	if m == nil || !slices.Contains([]string{"image/png", "image/jpeg", "image/webp", "image/gif"}, m[1]) {
		return coded("invalid_value", at, "Invalid '%s'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got a value without it.", at)
	}
	return nil
}

// checkFile rejects a file that the API cannot read.
func checkFile(at, name, data string) *Refusal {
	switch m := dataURLs.FindStringSubmatch(data); {
	case name == "":
		return missing(at + ".filename")
	case m == nil || m[1] != "application/pdf":
		return coded("invalid_value", at, "Invalid '%s.file_data'. Expected a base64-encoded data URL with the MIME type 'application/pdf'.", at)
	}
	return nil
}

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func checkName(at, name string) *Refusal {
	switch {
	case name == "":
		return missing(at)
	case !functionName.MatchString(name):
		return coded("invalid_value", at, "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
	}
	return nil
}

// checkCall rejects a call that no model made.
func checkCall(at, id, name, args string) *Refusal {
	if id == "" {
		return missing(at + ".call_id")
	}
	if len(id) > 64 {
		return coded("string_above_max_length", at+".call_id", "Invalid '%s.call_id': string too long. Expected a string with maximum length 64, but got a string with length %d instead.", at, len(id))
	}
	var object map[string]any
	if json.Unmarshal([]byte(args), &object) != nil || object == nil {
		return invalid(at+".arguments", "Invalid '%s.arguments': expected a JSON object.", at)
	}
	return checkName(at+".name", name)
}
