package failure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/rpc"
)

func TestCancelledIsNotFailed(t *testing.T) {
	for _, err := range []error{transcript.ErrCancelled, context.Canceled, fmt.Errorf("compacting: %w", context.Canceled)} {
		if got := Error(t.Context(), err); !errors.Is(got, rpc.ErrRequestCancelled) {
			t.Errorf("%v is answered %v", err, got)
		}
	}
}

// The protocol page names every error code.
func TestPageNamesFailureCodes(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("..", "..", "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	words := []string{Plain}
	source, err := os.ReadFile("failure.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`Code: "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		words = append(words, "| `"+m[1]+"`")
	}
	for _, k := range []model.ErrorKind{
		model.Auth, model.RateLimited, model.Quota, model.Overflow, model.TLS, model.Empty, model.Unavailable, model.Cut, model.NotFound, model.Invalid,
	} {
		words = append(words, ofProvider(&model.Error{Kind: k}).Kind)
	}
	for _, word := range words {
		if !strings.Contains(string(b), word) {
			t.Errorf("docs/protocol.md does not name %s", word)
		}
	}
}
