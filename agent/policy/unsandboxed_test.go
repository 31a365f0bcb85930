package policy

import (
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
)

// Without a sandbox, mode yolo asks about commands that write outside the
// workspace or change what runs later. With a sandbox, which prevents both, it
// does not, unless they would have to run outside of it.
func TestYoloWithoutASandboxAsks(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	t.Setenv("HOME", "/home/me")
	for rule, commands := range map[string][]string{
		"outside the workspace": {
			"touch /away/x", "touch ../x", "cp main.go /away/", "mv /away/x .", "tee /away/x", "ls | tee -a /away/x", "sed -i s/a/b/ /away/x", "sed -ni -e p /away/x", "perl -pi -e s/a/b/ /away/x",
			"tar xf a -C /away", "tar xfC a /away", "tar -xzf a.tgz -C/away", "tar czf /away/x.tgz .", "unzip a -d /away", "unzip -od /away a", "chmod 777 /", "chown me /away", "mkdir -p /away/x", "ln -s main.go /away/x",
			"cd /away && touch x", "env A=b touch /away/x", "sh -c 'touch /away/x'", "touch ~/x", `touch "$HOME/x"`, "curl -sSLo /away/x https://h", "curl --output=/away/x https://h", "wget -qO /away/x https://h", "wget -P /away https://h",
			"git clone https://h/r /away/x", "git init /away/x", "git worktree add -b x /away/x", "git -C /away commit -m x", "git archive -o /away/x HEAD", "go build -o /away/x .", "gcc main.c -o /away/x", "sort -o /away/x main.go", "rsync -a . /away/x", "patch -d /away -p1",
		},
		"what runs later": {
			"git config core.hooksPath hk", "git config --global core.pager x", "git config core.fsmonitor ./x", "git config --global alias.x '!sh'", "git config set alias.x push", "git config --add core.editor x", "npm config set script-shell ./x", "npm set shell=./x", "npm config --location=user set git x",
			"crontab f", "crontab -", "echo x | at now", "go env -w GOFLAGS=-toolexec=./x", "gh alias set x '!sh'", "systemctl enable x",
		},
		"destructive commands": {
			"git read-tree -u --reset HEAD", "git checkout-index -f -a", "> main.go", ": > main.go", "cp /dev/null main.go", "fallocate -p -l 1 main.go", "fallocate --punch-hole -l 1 main.go", "blkdiscard x", "svn revert -R .", "hg update -C", "hg revert -a", "redis-cli flushall", "redis-cli -n 1 FLUSHDB",
		},
		"mode yolo": {
			"touch x", "cp /etc/hosts x", "cat /etc/hosts", "ls > /dev/null", "ls | tee /dev/null", "tee /dev/stderr", "sed -i /away/d main.go", "sed -n /away/p /etc/hosts", "sed s/a/b/ /etc/hosts", "tar tf /away/x.tgz", "tar xf /away/x.tgz", "tar xf /away/x.tgz -C sub", "tar czf x.tgz -C /away .", "unzip -l /away/x",
			"rsync -a /away/x .", "rsync -a . h:/away", "scp x h:/away", "git -C /away log", "git clone /away/x", "git config user.name x", "git config --get core.pager", "git config core.pager", "npm config get registry", "npm config set fund false", "npm test", "crontab -l", "at -l",
			"fallocate -l 1 x", "svn update", "hg update", "redis-cli get x", "curl -sSLo x https://h", "gzip -c /away/x", "ln -s /away/x link", "go build -o bin/x .", "make test", `cd "$X" && touch x`,
		},
	} {
		for _, command := range commands {
			call := shellCall(t, command, w, Yolo)
			if got := New(nil, nil).Decide(call); got.Kind != Allow && !got.Outside && rule != "mode yolo" {
				t.Errorf("%q with a sandbox is %v by %q: %s", command, got.Kind, got.Rule, got.Reason)
			}
			call.Shell = Shell{}
			if got := New(nil, nil).Decide(call); got.Rule != rule && (got.Kind == Ask || rule != "mode yolo") {
				t.Errorf("%q without one is %v by %q, want %q: %s", command, got.Kind, got.Rule, rule, got.Reason)
			}
		}
	}
	allowed := shellCall(t, "touch /away/x", w, Yolo)
	allowed.Shell = Shell{}
	if got := New(Lists{Allowed: []string{shellTool + "(touch /away/x)"}}.Rules(), nil).Decide(allowed); got.Kind != Allow {
		t.Errorf("what a rule allows is %v: %s", got.Kind, got.Reason)
	}
}
