package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"google.golang.org/genai"
)

func TestEncodedPiecesAreBounded(t *testing.T) {
	var e encoded
	big := json.RawMessage(bytes.Repeat([]byte("x"), maxEncoded/4))
	make1 := func(i int) *piece {
		return &piece{id: fmt.Sprint(i), content: genai.NewContentFromText(fmt.Sprint(i), genai.RoleUser)}
	}
	last := make1(-1)
	for i := range 20 {
		p := make1(i)
		p.json = big
		e.keep([]*piece{p})
		held := 0
		for _, m := range []map[string]*piece{e.recent, e.older} {
			for _, p := range m {
				held += len(p.json)
			}
		}
		if held > 2*maxEncoded || e.size > maxEncoded {
			t.Fatalf("%d bytes are held, %d counted", held, e.size)
		}
		if fresh := e.recall([]*piece{make1(i), make1(0), last}); len(fresh) != 1 {
			t.Fatalf("after %d others, %d of 2 pieces in use were forgotten", i, len(fresh)-1)
		}
	}
}
