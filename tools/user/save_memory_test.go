package user_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/user"
)

func TestSaveMemory(t *testing.T) {
	full := errors.New("no room")
	for _, tt := range []struct {
		name, args string
		fails      error
		want       string // what is saved, or the error
	}{
		{name: "a fact", args: `{"fact":" Tabs, not spaces. "}`, want: "Tabs, not spaces."},
		{name: "nothing", args: `{"fact":"  "}`, want: "invalid_tool_params: invalid params: fact is empty"},
		{name: "no fact", args: `{}`, want: "invalid_tool_params: invalid params: fact is required"},
		{name: "two lines could pass for two facts", args: `{"fact":"a\n- b"}`, want: "invalid_tool_params: invalid params: fact: contains a line end or an invisible character; write one line of plain text"},
		{name: "what is not seen", args: `{"fact":"a\u202eb"}`, want: "invalid_tool_params: invalid params: fact: contains a line end or an invisible character; write one line of plain text"},
		{name: "too long", args: `{"fact":"` + strings.Repeat("x", 2001) + `"}`, want: "invalid_tool_params: invalid params: fact: expected at most 2000 bytes, got 2001; shorten it"},
		{name: "authority is no argument", args: `{"fact":"a","scope":"global"}`, want: "invalid_tool_params: invalid params: unknown parameter scope; the parameters are fact"},
		{name: "it cannot be written", args: `{"fact":"a"}`, fails: full, want: "file_write_failure"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			saved := ""
			env := tools.Env{Remember: func(fact string) error {
				saved = fact
				return tt.fails
			}}
			got := ""
			a, err := user.SaveMemory.Prepare(t.Context(), env, json.RawMessage(tt.args))
			var e *tools.Error
			switch {
			case errors.As(err, &e):
				got = string(e.Type) + ": " + e.Message
			case err != nil:
				t.Fatal(err)
			default:
				if saved != "" {
					t.Error("it is saved before anyone was asked")
				}
				if r := a.Run(t.Context(), nil); r.Err != nil {
					saved = string(r.Err.Type)
				}
				got = saved
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
