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
	parts := [][]byte{body}
	if before, after, ok := bytes.Cut(body, contentsMark); ok {
		parts = [][]byte{before, []byte(`"contents":[`)}
		for i, p := range ps {
			if i > 0 {
				parts = append(parts, []byte(","))
			}
			parts = append(parts, p.json)
		}
		parts = append(parts, []byte("]"), after)
	}
	req.ContentLength = 0
	for _, p := range parts {
		req.ContentLength += int64(len(p))
	}
	req.GetBody = func() (io.ReadCloser, error) { // a connection that was closed meanwhile is tried anew
		readers := make([]io.Reader, len(parts))
		for i, p := range parts {
			readers[i] = bytes.NewReader(p)
		}
		return io.NopCloser(io.MultiReader(readers...)), nil
	}
	req.Body, err = req.GetBody()
	return err
}
