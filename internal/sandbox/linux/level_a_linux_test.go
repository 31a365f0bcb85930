package linux_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
	"github.com/emendo-dev/emendo/internal/sandbox/linux"
)

func TestNamespacesWithstandAttacks(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		attacktest.Withstand(t, attacktest.With(linux.StartInNamespaces), attacktest.HarmlessWithin...)
	})
}

func TestCommandsOfASessionWithstandAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.MeansOfA {
			t.Run(means, func(t *testing.T) {
				attacktest.Withstand(t, inSession{start, session(t), nil}, attacktest.HarmlessWithin...)
			})
		}
	})
}

func TestBubblewrapWithstandsAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	attacktest.AsEachUser(t, func(t *testing.T) {
		attacktest.Withstand(t, attacktest.With(attacktest.Bubblewrapped), attacktest.HarmlessWithin...)
	})
}

// What a command at level A sees and can do, beyond the attacks that all levels
// withstand.
func TestLevelA(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.MeansOfA {
			t.Run(means, func(t *testing.T) {
				b := attacktest.NewTestbed(t)
				home := filepath.Join(b.Base, "home")
				if err := os.Mkdir(home, 0o700); err != nil {
					t.Fatal(err)
				}
				b.Tell(start, []string{"HOME=" + home}, levelAHolds, false)
				b.Unharmed()
			})
		}
	})
}

var levelAHolds = []attacktest.ToldLine{
	{Name: "sees nothing outside", Line: "ls -A ../outside 2>&1 | grep -c 'No such file'; stat ../outside/secret 2>&1 | grep -c 'No such file'", Want: "1\n1\n"},
	{Name: "has empty folders where others keep theirs", Line: "ls -A /home /run /mnt /srv /media /var/log /var/spool /var/run 2>/dev/null | grep -v : | tr -d '\\n'", Want: ""},
	{Name: "changes no mode, time or attribute outside", Line: "for f in ../outside/bystander /usr/bin/env; do chmod 640 $f 2>/dev/null && echo changed; touch -c -d @1 $f 2>/dev/null && test -e $f && echo changed; done; true", Want: ""},
	{Name: "sees no other processes", Line: "cat /proc/[0-9]*/comm | grep -c sandbox.test", Want: "0\n"},
	{Name: "reads no secret of the system", Line: "head -c1 /etc/shadow 2>&1 | grep -c 'Permission denied'", Want: "1\n"},
	{Name: "reads nothing of /etc that is kept from others", Line: "find /etc -type f ! -perm -o+r -readable 2>/dev/null", Want: ""},
	{Name: "cannot unhide a secret", Line: "chmod 600 .env 2>/dev/null; mv .env x 2>/dev/null; rm -f .env 2>/dev/null; cat .env x 2>/dev/null; ls -l .env | cut -c1-10", Want: "----------\n"},
	{Name: "cannot exchange a folder for a link", Line: "mv sub old && ln -s ../outside sub && cat sub/secret 2>/dev/null; rm sub && mv old sub && echo kept", Want: "kept\n"},
	{Name: "cannot take a protected folder with its own", Line: "mkdir -p deep && mv .git deep/ 2>/dev/null || echo kept", Want: "kept\n"},
	{Name: "reads git's folder and changes nothing in it", Line: "cat .git/config; echo x 2>/dev/null >.git/hooks/new || echo refused", Want: "[core]\nrefused\n"},
	{Name: "sees no page of the machine's memory", Line: "head -c1 /proc/kcore /proc/kpageflags /proc/kpagecount 2>/dev/null | grep -c . ", Want: "0\n"},
	{Name: "has a root that cannot be written", Line: "touch /x /proc/x /dev/x /var/x /sys/x /etc/x 2>/dev/null || echo refused", Want: "refused\n"},
	{Name: "has a home of its own", Line: `echo x >~/y && cat ~/y && ls -A ~ | wc -l`, Want: "x\n1\n"},
	{Name: "has a folder for temporary files at its usual place", Line: `echo "$TMPDIR"; echo x >/tmp/y; cat /var/tmp/y`, Want: "/tmp\nx\n"},
	{Name: "reaches itself", Line: "(exec 3<>/dev/tcp/127.0.0.1/9) 2>&1 | grep -o refused | head -n1", Want: "refused\n"},
	{Name: "reaches nobody else", Line: "(exec 3<>/dev/tcp/93.184.215.14/80) 2>&1 | grep -o unreachable | head -n1", Want: "unreachable\n"},
	{Name: "has no file but the standard ones", Line: `for f in /proc/$$/fd/*; do if test -e "$f"; then echo "${f##*/}"; fi; done`, Want: "0\n1\n2\n"},
}

// A workspace that contains the system's programs cannot be protected.
func TestSystemFoldersCannotBeWritable(t *testing.T) {
	for means, start := range attacktest.EveryMeans() {
		for _, dir := range []string{"/", "/usr", "/etc"} {
			p := &sandbox.Profile{Write: []string{dir}}
			if _, err := start(t.Context(), sandbox.Command{Argv: []string{"/bin/true"}, Dir: "/", Profile: p}); err == nil || !strings.Contains(err.Error(), "open a smaller folder") {
				t.Errorf("%s of %s: %v", means, dir, err)
			}
		}
	}
}

// A command that keeps swapping a folder for a link cannot make the next
// command see the target of the link.
func TestNamespacesIgnoreSwappedLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	attacktest.AsEachUser(t, func(t *testing.T) {
		b := attacktest.NewTestbed(t)
		// The first command is not confined: even that does not help it.
		swaps, err := sandbox.System().Start(t.Context(), sandbox.Command{
			Argv: []string{filepath.Join(b.Tools, "attacker"), b.Work, b.Outside}, Dir: b.Work, Env: []string{"EMENDO_TEST_ATTACKS=" + attacktest.SwapLinks},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer swaps.Kill(0)
		for range 60 {
			p, err := linux.StartInNamespaces(t.Context(), sandbox.Command{
				Argv: []string{"/bin/cat", ".vscode/secret", b.Secret}, Dir: b.Work, Env: []string{"PATH=/usr/bin:/bin"}, Profile: b.Profile(),
			})
			if err != nil {
				t.Fatal(err)
			}
			out := attacktest.ReadAll(t, p)
			p.Kill(0)
			if strings.Contains(out, "canary") {
				t.Fatalf("it has read %q", out)
			}
		}
	})
}

// People work below /var/tmp too, which is another name of /tmp in a view.
func TestWorkspaceBelowVarTmp(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.MeansOfA {
			base, err := os.MkdirTemp("/var/tmp", "emendo-test") //nolint:usetesting // that is the point
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(base)
			b := &attacktest.Testbed{T: t, Base: base, Work: filepath.Join(base, "work"), Temp: filepath.Join(base, "temp"), Cache: filepath.Join(base, "cache")}
			for _, name := range []string{"work/file", "work/.git/config", "work/.env", "temp/x", "cache/x", "home/x"} {
				b.Put(name, "text\n")
			}
			b.Tools = b.Work
			if out, end := b.Shell(start, "cat file; echo made >new; echo y >/var/tmp/y; cat /tmp/y; ls -A "+base+"/outside 2>/dev/null"); out != "text\ny\n" || end != (sandbox.Exit{Code: 2}) {
				t.Errorf("%s: got %q, %+v", means, out, end)
			}
			if text, err := os.ReadFile(filepath.Join(b.Work, "new")); err != nil || string(text) != "made\n" {
				t.Errorf("%s: it wrote %q, %v", means, text, err)
			}
		}
	})
}
