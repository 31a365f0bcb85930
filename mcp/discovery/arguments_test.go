package discovery

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/tools"
)

// The command of a discovered tool gets one JSON object, or is not run.
func TestBadArguments(t *testing.T) {
	for _, bad := range []string{`[]`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, `x`, `null`, `"a"`, `{`, `{}{}`, "{\"a\":\"\xff\"}"} {
		var e *tools.Error
		_, err := (&tool{}).Prepare(t.Context(), tools.Env{}, json.RawMessage(bad))
		if !errors.As(err, &e) || e.Type != tools.InvalidParams || !strings.Contains(e.Message, "JSON object") {
			t.Errorf("%q comes to %v", bad, err)
		}
	}
}
