package servertest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Read reads the body of a request, of which it keeps a byte more than the largest
// that the server accepts has.
func Read(h *http.Request, largest int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(h.Body, largest+1))
}

// JSON encodes what a fake has built itself.
func JSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("servertest: a reply does not encode: %v", err))
	}
	return b
}

// Answer writes a document in JSON.
func Answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Write(JSON(v)) //nolint:errcheck // a client that is gone needs no answer
}

// Refuse writes an error response. Its body is text, or if that is empty v in JSON.
func Refuse(w http.ResponseWriter, status int, header http.Header, text string, v any) {
	for name, values := range header {
		w.Header()[name] = values
	}
	body := []byte(text)
	if text == "" {
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		body = JSON(v)
	}
	w.WriteHeader(status)
	w.Write(body) //nolint:errcheck // a client that is gone needs no answer
}
