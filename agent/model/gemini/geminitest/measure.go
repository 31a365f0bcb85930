package geminitest

import (
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/emendo-dev/emendo/agent/model/servertest"
)

// measure answers requests to count tokens, and reports whether it was one.
func (s *Server) measure(w http.ResponseWriter, h *http.Request) bool {
	m := route.FindStringSubmatch(h.URL.Path)
	if m == nil || h.Method != http.MethodPost || m[2] != "countTokens" {
		return false
	}
	if r := s.admit(h); r != nil {
		r.write(w)
		return true
	}
	body, err := servertest.Read(h, maxBody)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	answer, refusal := count(body)
	if refusal != nil {
		refusal.write(w)
		return true
	}
	servertest.Answer(w, answer)
	return true
}

// count counts a token for four bytes.
func count(body []byte) (any, *Refusal) {
	var in struct {
		Contents []Content `json:"contents"`
	}
	if r := strictly(body, &in); r != nil {
		return nil, r
	}
	if len(in.Contents) == 0 {
		return nil, invalid("contents is not specified")
	}
	return map[string]any{"totalTokens": len(body)/4 + 1}, nil
}

// strictly decodes a body that has known fields only.
func strictly(body []byte, into any) *Refusal {
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil {
		return invalid("Invalid JSON payload received. %v", err)
	}
	var wrong []violation
	if unknown(tree, reflect.TypeOf(into), "", &wrong); len(wrong) > 0 {
		return badRequest(wrong)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return invalid("Invalid JSON payload received. %v", err)
	}
	return nil
}
