package reach

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/emendo-dev/emendo/internal/sandbox"
)

// At level A a command has a view of its own: what is not in it does not exist, and what is in
// it is read-only or not. A program that has another error has it everywhere.
func TestDeniedInAViewOfItsOwn(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"work/.git", "work/.vscode", "data"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"work/.env", "work/.vscode/settings.json", "data/set"} {
		if err := os.WriteFile(filepath.Join(base, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	work, data := filepath.Join(base, "work"), filepath.Join(base, "data")
	p := New(Options{
		Folders: []string{work}, Secret: func(p string) bool { return filepath.Base(p) == ".env" }, Outlet: func(context.Context, sandbox.WayOut, *Met) {},
	}).Profile(Extra{Session: "s"})
	for _, tt := range []struct {
		name, output string
		lost         bool
		want         sandbox.Denials
	}{
		{name: "nothing", output: "FAIL: got 403, want 200\n"},
		{name: "a right that is missing everywhere", output: "open " + data + "/set: permission denied\nsocket: Operation not permitted\n"},
		{name: "a server that is not there", output: "connect: connection refused\ndial tcp 127.0.0.1:5432: connect: connection refused\n"},
		{name: "a name, which the outlet knows", output: "getaddrinfo ENOTFOUND db.example.com\ncurl: (6) Could not resolve host: db.example.com\n"},
		{name: "an address that it only speaks of", output: "connect: Network is unreachable\n"},
		{name: "an address", lost: true, output: "curl: (7) Failed to connect to 93.184.215.14 port 80\n", want: sandbox.Denials{Network: true}},
		{name: "a folder that a view does not show", output: "FAIL: EROFS: read-only file system, open '" + data + "/x'\n"},
		{name: "a protected file", output: "bash: .vscode/settings.json: Read-only file system\n", want: sandbox.Denials{Write: []string{work + "/.vscode"}}},
		{name: "a file that is missing beside it", output: "cat: .vscode/none.json: No such file or directory\n"},
		{name: "a hidden file", output: "cat: .env: Permission denied\n", want: sandbox.Denials{Read: []string{work + "/.env"}}},
		{name: "a file to make", output: "x.sh: line 2: " + data + "/made.txt: No such file or directory\n", want: sandbox.Denials{Write: []string{data}}},
		{name: "a file to make in Python", output: "    with open(\"" + data + "/made.txt\", \"w\") as f:\n         ^^^^\nFileNotFoundError: [Errno 2] No such file or directory: '" + data + "/made.txt'\n", want: sandbox.Denials{Write: []string{data}}},
		{name: "a file to read in Python", output: "    with open(\"" + data + "/none.txt\") as f:\n         ^^^^\nFileNotFoundError: [Errno 2] No such file or directory: '" + data + "/none.txt'\n"},
		{name: "a file that is there", output: "Error: ENOENT: no such file or directory, open '" + data + "/set'\n", want: sandbox.Denials{Read: []string{data + "/set"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p.Met.Lost(tt.lost)
			if diff := cmp.Diff(tt.want, p.Denied(tt.output, work, sandbox.Isolated, true)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Hosts are known, whatever a command prints and however it ends: one that it asked its outlet
// for needs permission for that host, not for the whole network.
func TestHostsThatWereMetAreKnown(t *testing.T) {
	p := New(Options{
		Folders: []string{t.TempDir()}, Network: sandbox.Network{Hosts: []string{"good.example"}},
		Outlet: func(_ context.Context, w sandbox.WayOut, met *Met) {
			if diff := cmp.Diff([]string{"good.example"}, w.Hosts); diff != "" {
				t.Errorf("hosts (-want +got)\n%s", diff)
			}
			met.Refused("other.example")
			met.Refused("other.example")
			met.Asked("other.example") // for the proxy
			met.Asked("db.example")
			met.Reached("good.example")
			met.Asked("good.example")
		},
	}).Profile(Extra{})
	p.Outlet(t.Context(), sandbox.WayOut{Hosts: p.Network.Hosts})
	want := sandbox.Denials{Hosts: []string{"other.example"}, Names: []string{"db.example"}}
	for _, failed := range []bool{false, true} {
		if diff := cmp.Diff(want, p.Denied("connect: Network is unreachable\n", "/", sandbox.Isolated, failed)); diff != "" {
			t.Errorf("failed %v (-want +got)\n%s", failed, diff)
		}
	}
	if !p.Reached() {
		t.Error("it has reached a host")
	}
}
