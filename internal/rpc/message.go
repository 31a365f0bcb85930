package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// envelope is the size of a message without its method, params, result and error,
// in bytes.
const envelope = 96

// A refusal is the answer to something that is not a message.
type refusal struct {
	id  json.RawMessage // as it was sent; nil if unknown
	err *Error          // its message is plain text of ours, which %q quotes as JSON does
}

// body returns the message to send.
func (r *refusal) body() []byte {
	id := r.id
	if id == nil {
		id = json.RawMessage("null")
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, r.err.Code, r.err.Message)
}

// decode reads one message. For an invalid one it returns the refusal to send, or
// neither if there is nothing to answer.
func decode(body []byte) (jsonrpc2.Message, *refusal) {
	// The library looks at the envelope alone. Handlers are promised that their
	// params are JSON, at most 10,000 levels deep. Strings that are not UTF-8 pass:
	// decoding repairs them.
	if !jsontext.Value(body).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
		return nil, &refusal{id: findID(body), err: Errorf(ParseError, "the message is not valid JSON")}
	}
	if m, err := jsonrpc2.DecodeMessage(body); err == nil {
		return m, nil
	}
	return decodeOdd(body)
}

// decodeOdd reads valid JSON that is not a valid message. It accepts any answer
// that matches a call of ours, since the call would wait for ever otherwise.
func decodeOdd(body []byte) (jsonrpc2.Message, *refusal) {
	if body = bytes.TrimSpace(body); body[0] == '[' {
		return nil, &refusal{err: Errorf(InvalidRequest, "batches are not supported: send messages one by one")}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil || members == nil {
		return nil, &refusal{err: Errorf(InvalidRequest, "a message must be a JSON object")}
	}
	id := members["id"]
	_, hasMethod := members["method"]
	result, hasResult := members["result"]
	problem, hasError := members["error"]
	if !hasMethod && (hasResult || hasError) {
		known, ok := parseID(id)
		switch {
		case !ok:
			return nil, nil
		case hasError && string(problem) != "null":
			return jsonrpc2.NewResponse(known, nil, oddError(problem)), nil
		default:
			return jsonrpc2.NewResponse(known, jsonrpc2.RawMessage(result), nil), nil
		}
	}

	no := &refusal{}
	if len(id) > 0 && strings.IndexByte("{[tfn", id[0]) < 0 {
		no.id = id
	}
	_, known := parseID(id)
	switch {
	case !hasMethod:
		no.err = Errorf(InvalidRequest, "the message has no method")
	case hasResult || hasError:
		no.err = Errorf(InvalidRequest, "the message is both a request and an answer")
	case string(members["jsonrpc"]) != `"2.0"`:
		no.err = Errorf(InvalidRequest, `the message must say "jsonrpc": "2.0"`)
	case members["method"][0] != '"':
		no.err = Errorf(InvalidRequest, "the method must be a string")
	case len(id) > 0 && !known:
		no.err = Errorf(InvalidRequest, "the id must be a string or a 64-bit integer")
	default:
		no.err = Errorf(InvalidRequest, "the message is not a valid request")
	}
	return nil, no
}

// oddError reads an error object of any shape.
func oddError(problem json.RawMessage) *jsonrpc2.Error {
	var e struct {
		Code    float64         `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(problem, &e); err != nil || e.Message == "" {
		e.Message = "the peer answered with an error without a message"
	}
	if e.Code == 0 || math.Abs(e.Code) > math.MaxInt32 {
		e.Code = InternalError
	}
	return &jsonrpc2.Error{Code: jsonrpc2.Code(e.Code), Message: e.Message, Data: jsonrpc2.RawMessage(e.Data)}
}

// parseID reads an id. The library does not export how it reads one, and ids that
// are to be looked up must be read as it does; so it is asked to read an answer.
func parseID(raw json.RawMessage) (jsonrpc2.ID, bool) {
	if len(raw) == 0 {
		return jsonrpc2.ID{}, false
	}
	m, err := jsonrpc2.DecodeMessage([]byte(`{"jsonrpc":"2.0","result":0,"id":` + string(raw) + `}`))
	if err != nil {
		return jsonrpc2.ID{}, false
	}
	answer, ok := m.(*jsonrpc2.Response)
	return answer.ID(), ok && answer.ID().IsValid()
}

// findID looks for the id of a request in the first bytes of one, or in one that
// breaks off or goes wrong. It returns nil unless a method is there too: the
// answer to an answer could be taken for one to another request.
func findID(head []byte) json.RawMessage {
	var id json.RawMessage
	method := false
	d := json.NewDecoder(bytes.NewReader(head))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for id == nil || !method {
		name, err := d.Token()
		if err != nil {
			return nil
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil
		}
		switch name {
		case "id":
			id = value
		case "method":
			method = true
		}
	}
	if _, ok := parseID(id); !ok {
		return nil
	}
	return id
}
