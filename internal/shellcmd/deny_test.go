package shellcmd

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// spellings are ways to write the program rm.
var spellings = []string{"rm", "/bin/rm", "./rm", `r\m`, "'rm'", `"r"m`, `\rm`, `"/usr/bin/rm"`, "r''m", "RM"}

// before are words that run the line after them.
var before = []string{
	"env", "env A=b", "env -u A", "env -i", "env --", "timeout 5", "timeout -k 1 -s INT 5", "nice", "nice -n 5", "nice --adjustment=5", "nohup", "ionice -c 3", "stdbuf -oL", "setsid -w", "sudo", "sudo -u root A=b",
	"doas", "command", "command --", "builtin", "exec", "exec -a x", "busybox", "xargs", "xargs -0 -n 1", "xargs -0n1", "xargs -I {}", "chroot /", "unshare -r", "flock f", "strace -f -o x", "taskset -c 0", "chrt 5", "time", "time -p",
	"find . -exec", "fd -x", "git bisect run", "docker exec c", "prlimit --nofile=5", "setpriv --reuid=5", "nsenter -t 1 -m", "systemd-run --user",
	"runuser -u root --", "setarch -R", "setarch x86_64", "perf stat", "fakeroot --", "direnv exec .", "mise exec --", "cross-env A=b", "time --", "time -p --", "chronic", "ssh-agent",
	"xvfb-run -a", "npx", "numactl -N 0", "caffeinate -i",
}

// joining are commands that join the words and have them read again.
var joining = []string{"eval", "watch", "parallel", "ssh host", "ssh -p 5 host", "git submodule foreach", "watch -n 5 -d"}

// around are texts that run the text in place of the percent sign.
var around = []string{
	"%", "ls; %", "ls && %", "ls || %", "ls | %", "% | ls", "%; ls", "ls\n%\nls", "! %", "(%)", "{ %\n}", "if %\nthen ls; fi", "if ls; then %\nfi", "while %\ndo ls; done", "for i in a; do %\ndone", "case a in a) %\nesac", "f() { %\n}; f",
	"function f { %\n}", "coproc { %\n}", "echo $(%\n)", `echo "a$(%` + "\n" + `)b"`, "cat <(%\n)", "ls > >(%\n)", "A=$(%\n) ls", "A=(1 $(%\n))", "export A=$(%\n)", "echo ${A:-$(%\n)}", "echo $((1 + $(%\n)))", "[[ -n $(%\n) ]]", "cat <<E\n$(%\n)\nE",
	"select i in a; do %\ndone", "time { %\n}", "until %\ndo ls; done", "ls & %", "echo ${A[$(%\n)]}", "cat <<<$(%\n)", "arr[$(%\n)]=1 ls",
}

// quoted are texts that run the quoted text in place of the percent sign.
var quoted = []string{
	"sh -c %", "bash -c %", "bash -lc %", "bash -xec %", "dash -c % a b", "zsh -c %", "eval %", "trap % EXIT", "watch -n 5 %", "su -c % root", "ssh host %", "flock f -c %", "script -c % f", "env -S %", "git rebase --exec % HEAD~1", "git rebase -x %", "git submodule foreach %",
	"bash -o pipefail -c %", "bash --norc -c %", "env A=b sh -c %", "docker run a sh -c %", "find . -exec sh -c % \\;", "xargs -I{} sh -c %", "nohup bash -c %", "parallel %", "sudo sh -c %", "busybox sh -c %", "bash <<< %", "builtin eval %", "command eval %", "git -c alias.x='!'% x", "git -C sub -c 'alias.x=!'% x", "rbash -c %", "su - root -c %", "trap -- % EXIT INT", "git -c core.pager=% log", "setsid -f sh -c %", "bash +x -c %", "bash -c - %", "bash -ceo pipefail %", "bash -login -c %", "sg wheel -c %", "runuser root -c %", "hyperfine %", "fish --command=%",
}

// disguise wraps a command so that it is hard to see. A line of words can
// follow a wrapper; everything else has to be text.
func disguise(r *rand.Rand) string {
	text := spellings[r.IntN(len(spellings))] + " -rf x"
	line := true
	for range 1 + r.IntN(5) {
		switch n := r.IntN(5); {
		case n == 4 && line && !strings.ContainsAny(text, "'\"\\$`(){};&|<>\n"):
			text = joining[r.IntN(len(joining))] + " " + text
		case n < 2 && line:
			text = before[r.IntN(len(before))] + " " + text
		case n == 2:
			q := "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
			text, line = strings.ReplaceAll(quoted[r.IntN(len(quoted))], "%", q), true
		default:
			text, line = strings.ReplaceAll(around[r.IntN(len(around))], "%", text), false
		}
	}
	return text
}

func TestDenialsSeeThroughEverything(t *testing.T) {
	if testing.Short() {
		t.Skip("tries thousands of random commands")
	}
	r := rand.New(rand.NewPCG(7, 8))
	n, read := 20000, 0
	for range n {
		command := disguise(r)
		a := Analyze(command, "/w", []string{"/w"})
		switch {
		case slices.ContainsFunc(a.Parts, func(p Part) bool { return p.Named([]string{"rm"}) }):
			read++
		case slices.ContainsFunc(a.Parts, func(p Part) bool { return !p.Known && len(p.Words) == 0 }):
			// invalid, or too long: asked about for what it may contain
		default:
			t.Fatalf("rm is not found in %s\n%s", command, described(a))
		}
	}
	if read < n*9/10 {
		t.Errorf("only %d of %d were read", read, n)
	}
}
