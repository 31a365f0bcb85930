//go:build unix

package profile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a failed command printed tells what it was denied, as far as the user could allow it.
func TestDenied(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"work/.git", "work/sub", "home/.ssh", "home/other", "home/tool", "data", "own"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"work/.env", "home/.ssh/id_rsa", "home/notes", "data/set"} {
		if err := os.WriteFile(filepath.Join(base, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(names ...string) []string {
		var l []string
		for _, n := range names {
			l = append(l, filepath.Join(base, n))
		}
		return l
	}
	p := Profile{
		Write: at("work"), Read: at("home/tool"), Protected: at("work/.git"), Hidden: at("home/.ssh", "own", "work/.env"), Home: filepath.Join(base, "home"),
	}
	network := Denials{Network: true}
	for _, tt := range []struct {
		name, output string
		want         Denials
	}{
		{name: "nothing of a sandbox", output: "main.go:3: undefined: x\n"},
		{name: "git needs its folder", output: "fatal: Unable to create '" + base + "/work/.git/index.lock': Read-only file system\n", want: Denials{Write: at("work/.git")}},
		{name: "a name in the command's folder", output: "touch: cannot touch '.git/x': Read-only file system\n", want: Denials{Write: at("work/.git")}},
		{name: "a file that is there and was not found", output: "cat: " + base + "/home/notes: No such file or directory\n", want: Denials{Read: at("home/notes")}},
		{name: "a folder to make a file in", output: "touch: cannot touch '" + base + "/data/new': No such file or directory\n", want: Denials{Write: at("data")}},
		{name: "a toolchain is for reading", output: "open " + base + "/home/tool/x: read-only file system\n", want: Denials{Write: at("home/tool")}},
		{name: "as Go says it", output: "open " + base + "/data/set: no such file or directory\n", want: Denials{Read: at("data/set")}},
		{name: "as Node says it", output: "Error: ENOENT: no such file or directory, open '" + base + "/data/set'\n", want: Denials{Read: at("data/set")}},
		{name: "as Python says it", output: "FileNotFoundError: [Errno 2] No such file or directory: '" + base + "/data/set'\n", want: Denials{Read: at("data/set")}},
		{name: "a secret of the project", output: "cat: .env: Permission denied\n", want: Denials{Read: at("work/.env")}},
		{name: "a secret of the user is not offered", output: "cat: " + base + "/home/.ssh/id_rsa: No such file or directory\n"},
		{name: "nor are emendo's own files", output: "ls: cannot access '" + base + "/own': No such file or directory\n"},
		{name: "nor is the whole home folder", output: "ls: cannot open '" + base + "/home': Permission denied\n"},
		{name: "nor the system's", output: "touch: cannot touch '/usr/bin/x': Read-only file system\nmkdir: cannot create directory '/srv': Read-only file system\ncat: /etc/shadow: Permission denied\n"},
		{name: "nor what is missing for everybody", output: "cat: " + base + "/data/none/x: No such file or directory\ncat: gone: No such file or directory\n"},
		{name: "nor what goes up again", output: "cat: '" + base + "/data/../data/set': No such file or directory\n"},
		{name: "what is beside the workspace", output: "cat: ../data/set: No such file or directory\n", want: Denials{Read: at("data/set")}},
		{name: "what does not exist and was to be read", output: "cat: " + base + "/data/none: No such file or directory\npython3: can't open file '" + base + "/data/x.py': [Errno 2] No such file or directory\n"},
		{name: "what may be written has failed for another reason", output: "open " + base + "/work/sub/x: permission denied\n"},
		{name: "curl", output: "curl: (6) Could not resolve host: example.com\n", want: network},
		{name: "npm", output: "npm error code EAI_AGAIN\nnpm error errno EAI_AGAIN\nnpm error request to https://registry.npmjs.org/x failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org\n", want: network},
		{name: "go", output: "go: example.com/x@v1: Get \"https://proxy.golang.org/\": dial tcp: lookup proxy.golang.org: Temporary failure in name resolution\n", want: network},
		{name: "git", output: "fatal: unable to access 'https://example.com/x/': Could not resolve host: example.com\n", want: network},
		{name: "both", output: "Network is unreachable\ncat: " + base + "/data/set: No such file or directory\n", want: Denials{Read: at("data/set"), Network: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, p.Denied(tt.output, filepath.Join(base, "work"), Restricted)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
