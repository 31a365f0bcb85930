package policy

import (
	"os"
	"slices"
	"testing"
	"time"
)

func TestGrantsAreOfOneLineAndOneProject(t *testing.T) {
	t.Parallel()
	a := Answers{State: t.TempDir()}
	line := Line{Command: "npm ci", Dir: "/work"}
	added := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	hosts := Grant{Line: line, Hosts: []string{"registry.example"}, Project: "/work", Added: added}
	folder := Grant{Line: line, Write: "/data/out", Project: "/work", Added: added}
	other := Grant{Line: Line{Command: "npm ci", Dir: "/work", Background: true}, Read: "/data", Project: "/other", Added: added}
	for _, g := range []Grant{hosts, folder, other, hosts} { // the last replaces the first
		if err := a.Give(g); err != nil {
			t.Fatal(err)
		}
	}
	wantGrants(t, a, "/work", folder, hosts)
	wantGrants(t, a, "/other", other)
	if all, err := a.AllGrants(); err != nil || len(all) != 3 {
		t.Errorf("of all projects: got %v, %v", all, err)
	}
	for _, want := range []bool{true, false} {
		if was, err := a.Revoke(folder); was != want || err != nil {
			t.Errorf("revoke: got %v, %v, want %v", was, err, want)
		}
	}
	wantGrants(t, a, "/work", hosts)
	if was, err := a.Revoke(hosts); !was || err != nil {
		t.Errorf("revoke the last: got %v, %v", was, err)
	}
	wantGrants(t, a, "/work")
	if info, err := os.Stat(a.ofProject("/other", grantsEnd)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of grants: got %v, %v", info, err)
	}
}

func TestUnreadableGrantsGrantNothing(t *testing.T) {
	t.Parallel()
	a := Answers{State: t.TempDir()}
	file := a.ofProject("/work", grantsEnd)
	if err := os.WriteFile(file, []byte("[[grant]]\ncommand = 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := a.Grants("/work"); err == nil || l != nil {
		t.Errorf("got %v, %v", l, err)
	}
	g := Grant{Line: Line{Command: "make", Dir: "/work"}, Hosts: []string{"a.example"}, Project: "/work"}
	if err := a.Give(g); err != nil {
		t.Fatal(err)
	}
	wantGrants(t, a, "/work", g)
	if _, err := os.Stat(file + ".bak"); err != nil {
		t.Errorf("the unreadable file is lost: %v", err)
	}
}

func wantGrants(t *testing.T, a Answers, project string, want ...Grant) {
	t.Helper()
	got, err := a.Grants(project)
	if err != nil || !slices.EqualFunc(got, want, func(a, b Grant) bool { return a.grantsSame(b) && a.Added.Equal(b.Added) }) {
		t.Errorf("%s: got %v, %v, want %v", project, got, err, want)
	}
}
