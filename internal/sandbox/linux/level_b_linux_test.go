package linux_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/sandbox/linux"
)

func TestLevelBWithstandsAttacks(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) { attacktest.Withstand(t, attacktest.LevelB()) })
}

// Builds work at level B.
func TestLevelBAllowsBuilds(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		attacktest.NewTestbed(t).Tell(attacktest.LevelB(), nil, []attacktest.ToldLine{
			{Name: "reads and writes in the workspace", Line: "echo x >> sub/code.go && echo y > sub/new && rm sub/new && mkdir -p sub/a/b && mv sub/a sub/c && cat sub/code.go", Want: "package sub\nx\n"},
			{Name: "changes a file beside a protected one", Line: "echo '// x' >> main.go && cat main.go", Want: "package main\n// x\n"},
			{Name: "reads git's folder", Line: "cat .git/config", Want: "[core]\n"},
			{Name: "has a folder for temporary files", Line: `f=$(mktemp) && echo t > "$f" && cat "$f"`, Want: "t\n"},
			{Name: "has caches", Line: `mkdir -p "$XDG_CACHE_HOME/x" && echo made`, Want: "made\n"},
			{Name: "writes devices", Line: "echo x >/dev/null && head -c1 /dev/zero | wc -c", Want: "1\n"},
			{Name: "signals its own", Line: "sleep 60 & kill $! && wait $! 2>/dev/null; echo $?", Want: "143\n"},
			{Name: "has no files but the standard ones", Line: `for f in /proc/$$/fd/*; do if test -e "$f"; then echo "${f##*/}"; fi; done`, Want: "0\n1\n2\n"},
			{Name: "chains programs", Line: "printf 'b\\na\\n' | sort | head -n1", Want: "a\n"},
			{Name: "changes modes", Line: "chmod 700 sub/code.go && stat -c %a sub/code.go", Want: "700\n"},
			{Name: "has links and locks", Line: "ln -s code.go sub/l && flock sub/code.go head -n1 sub/l", Want: "package sub\n"},
		}, true)
	})
}

// What level B does not restrict, as docs/security.md says.
func TestLevelBDoesNotRestrict(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		attacktest.NewTestbed(t).Tell(attacktest.LevelB(), nil, []attacktest.ToldLine{
			{Name: "sees what is outside, not what is in it", Line: "stat -c %s ../outside/secret", Want: "10\n"},
			{Name: "changes the mode of what is outside", Line: "chmod 640 ../outside/bystander; stat -c %a ../outside/bystander", Want: "640\n"},
			{Name: "changes the time of what is outside", Line: "touch -c -d @1 ../outside/bystander 2>/dev/null; stat -c %Y ../outside/bystander", Want: "1\n"},
			{Name: "sees that other processes run", Line: "test -e /proc/" + strconv.Itoa(os.Getpid()) + "/stat && echo seen", Want: "seen\n"},
			{Name: "cannot make files beside what is protected", Line: "touch new 2>/dev/null || echo refused", Want: "refused\n"},
		}, true)
	})
}

// System calls of another architecture kill the process.
func TestForeignCallsKillTheProcess(t *testing.T) {
	if linux.ForeignCalls == 0 {
		return // this architecture has one set of numbers
	}
	attacktest.AsEachUser(t, func(t *testing.T) {
		b := attacktest.NewTestbed(t)
		out, end := b.Run(attacktest.LevelB(), []string{"EMENDO_TEST_ATTACKS=" + attacktest.ForeignCall}, filepath.Join(b.Tools, "attacker"))
		if end.Signal != unix.SIGSYS.String() {
			t.Errorf("it ended with %+v: %q", end, out)
		}
	})
}
