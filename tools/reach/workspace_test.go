package reach

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The target of a link with a secret's name is hidden, whatever its own name.
func TestTargetOfASecretLinkIsHidden(t *testing.T) {
	p, outside := newProject(t, "conf/dev", "conf/x/y", "real/.env", "a/x"), newProject(t, "conf")
	p.link("conf/dev", ".env")
	p.link("../real/.env", "a/.env")
	p.link(outside.at("conf"), "conf/.env")
	p.link("x", "conf/x/.env")
	p.link("x", "real/x")
	got := New(Options{Folders: []string{p.folder}, Secret: func(p string) bool { return filepath.Base(p) == ".env" }}).Profile(Extra{}).Hidden
	if diff := cmp.Diff([]string{p.at("conf/dev"), p.at("real/.env")}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
