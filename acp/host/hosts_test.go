package host_test

import (
	"testing"

	"github.com/emendo-dev/emendo/acp/host"
)

// TestLatest: the latest session of a folder is one that is open.
func TestLatest(t *testing.T) {
	var h host.Hosts
	first, second, elsewhere := &host.Session{ID: "first", Folder: "/a"}, &host.Session{ID: "second", Folder: "/a"}, &host.Session{ID: "elsewhere", Folder: "/b"}
	for _, step := range []struct {
		name string
		do   func()
		want string
	}{
		{"one is opened", func() { h.Open(first) }, "first"},
		{"another one is opened", func() { h.Open(second) }, "second"},
		{"one of another folder is opened", func() { h.Open(elsewhere) }, "second"},
		{"the latest is closed", func() { h.Forget("second") }, "first"},
		{"it is opened again", func() { h.Open(second) }, "second"},
		{"the first is used", func() { h.MarkUsed(first) }, "first"},
		{"another one is closed", func() { h.Forget("second") }, "first"},
		{"one that is not open is closed", func() { h.Forget("second") }, "first"},
		{"the last one is closed", func() { h.Forget("first") }, ""},
	} {
		step.do()
		if got := h.Latest("/a"); got != step.want {
			t.Errorf("%s: the latest is %q, want %q", step.name, got, step.want)
		}
	}
}
