package gemini

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// inPlace stands in a body for the contents, which the transport puts there: the
// library would go through every byte of them again, for nothing. The mark of a
// field cannot be inside a string, where its quotes are escaped.
const inPlace = "the contents"

var contentsMark = []byte(`"contents":"` + inPlace + `"`)

// fill puts the pieces into the body of a request, in place of their mark.
func fill(req *http.Request, ps []*piece) error {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return fmt.Errorf("reading the request's body: %w", err)
	}
	req.Body.Close()
	if before, after, ok := bytes.Cut(body, contentsMark); ok {
		body = around(before, ps, after)
	}
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { // a connection that was closed meanwhile is tried anew
		return io.NopCloser(bytes.NewReader(body)), nil
	}
	req.Body, err = req.GetBody()
	return err
}

// around is one text: what is sent in many pieces takes as many system calls.
func around(before []byte, ps []*piece, after []byte) []byte {
	const opens = `"contents":[`
	size := len(before) + len(opens) + len("]") + len(after)
	for _, p := range ps {
		size += len(p.json) + len(",")
	}
	body := make([]byte, 0, size)
	body = append(append(body, before...), opens...)
	for i, p := range ps {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, p.json...)
	}
	return append(append(body, ']'), after...)
}
