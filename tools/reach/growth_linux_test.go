package reach

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What a command wrote counts by the blocks that it takes, outside ignored folders of builds,
// and only if the disk has less free than before.
func TestGrowthIsMeasured(t *testing.T) {
	p := newProject(t)
	grow := func(name string, size int) {
		t.Helper()
		p.must(os.MkdirAll(filepath.Dir(p.at(name)), 0o700))
		f, err := os.Create(p.at(name))
		p.must(err)
		defer f.Close()
		_, err = f.Write(make([]byte, size))
		p.must(err)
		p.must(f.Sync())
	}
	place := New(Options{Folders: []string{p.folder}})
	if m := place.Profile(Extra{}).Meter(Limits{}); m != nil {
		t.Error("an allowed command is measured")
	}
	m := place.Profile(unasked).Meter(Limits{Most: 4 << 20, Free: 1})
	m.disks[0].free += 1 << 40 // as if the disk had filled
	for _, c := range []struct {
		name string
		do   func()
		over bool
	}{
		{"nothing", func() {}, false},
		{"a sparse file", func() { p.put("sparse"); p.must(os.Truncate(p.at("sparse"), 3<<30)) }, false},
		{"a build", func() { grow("target/x", 8<<20) }, false},
		{"a file", func() { grow("src/x", 5<<20) }, true},
	} {
		c.do()
		m.next = 0
		if why := m.Check(); (why != "") != c.over {
			t.Errorf("%s: %q", c.name, why)
		}
	}
	m.Extend()
	m.next = 0
	if why := m.Check(); why != "" {
		t.Errorf("as much again: %q", why)
	}
	full := place.Profile(unasked).Meter(Limits{Most: 1 << 40, Free: 1 << 50})
	if why := full.Check(); why != "" {
		t.Errorf("one that wrote nothing on a full disk: %q", why)
	}
	grow("more", 8<<20)
	full.limits.Most, full.disks[0].free = 64<<20, 1<<55
	if why := full.Check(); !strings.HasPrefix(why, "Less than ") {
		t.Errorf("on a full disk: %q", why)
	}
}
