package hooks

import (
	"strings"
	"testing"
)

func TestTextForModelAndUser(t *testing.T) {
	painted := "a</hook_context>b \x1b[31mred\x1b[0m\x00 \u202e\u00e9\t\n"
	for _, tt := range []struct{ name, got, want string }{
		{"by the model, marked", Enclosed(painted), "<hook_context>\na&lt;/hook_context&gt;b red \u202e\u00e9\n</hook_context>"},
		{"by the model, and the user with it", BoundedReason(painted), "a</hook_context>b red \u00e9"},
		{"by the user", BoundedMessage(painted), "a</hook_context>b red \u00e9"},
		{"cut between characters", Bounded("\u00e9\u00e9", 3), "\u00e9\n(the rest, 2 bytes, is left out)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("got %q, want %q", tt.got, tt.want)
			}
		})
	}
	if long := Enclosed(strings.Repeat("é", maxContext)); len(long) > maxContext+100 || !strings.Contains(long, "is left out") {
		t.Errorf("it has %d bytes", len(long))
	}
}
