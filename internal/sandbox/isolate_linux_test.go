package sandbox

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// with is a spawner that has one means only, whatever else there is.
type with func(context.Context, Command) (Process, error)

func (w with) Start(ctx context.Context, c Command) (Process, error) { return w(ctx, c) }

// wrappedForTests starts a command by the system's bubblewrap, or by that which
// make bubblewrap has unpacked.
func wrappedForTests(ctx context.Context, c Command) (Process, error) {
	program, err := findBubblewrap()
	if err != nil {
		if program = os.Getenv("EMENDO_BWRAP"); program == "" {
			return nil, fmt.Errorf("%w: run the tests by make, or name one by EMENDO_BWRAP", err)
		}
	}
	return wrapped(ctx, program, c)
}

// harmlessWithin are attacks that meet nothing but the sandbox itself: a packet
// goes to its own network, and a signal to a supervisor that is deaf to it.
var harmlessWithin = []string{"send by UDP", "signal its supervisor"}

func TestNamespacesWithstandAttacks(t *testing.T) {
	asEachUser(t, func(t *testing.T) { withstand(t, with(namespaced), harmlessWithin...) })
}

func TestBubblewrapWithstandsAttacks(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	asEachUser(t, func(t *testing.T) { withstand(t, with(wrappedForTests), harmlessWithin...) })
}

// means of level A, both of which every test below looks at.
var meansOfA = map[string]with{"namespaces": namespaced, "bubblewrap": wrappedForTests}

// everyMeans returns the means of the levels A and B.
func everyMeans() map[string]with {
	means := maps.Clone(meansOfA)
	means["Landlock"] = restricted
	return means
}

// What a command at level A sees and does, in a workspace with what is outside
// of it: beyond what all levels withstand.
func TestLevelAHolds(t *testing.T) {
	asEachUser(t, func(t *testing.T) {
		for means, start := range meansOfA {
			t.Run(means, func(t *testing.T) {
				b := newTestbed(t)
				home := filepath.Join(b.base, "home")
				if err := os.Mkdir(home, 0o700); err != nil {
					t.Fatal(err)
				}
				b.tell(start, []string{"HOME=" + home}, levelAHolds, false)
				b.unharmed()
			})
		}
	})
}

var levelAHolds = []toldLine{
	{"sees nothing outside", "ls -A ../outside 2>&1 | grep -c 'No such file'; stat ../outside/secret 2>&1 | grep -c 'No such file'", "1\n1\n"},
	{"has empty folders where others keep theirs", "ls -A /home /run /mnt /srv /media /var/log /var/spool /var/run 2>/dev/null | grep -v : | tr -d '\\n'", ""},
	{"changes no mode, time or attribute outside", "for f in ../outside/bystander /usr/bin/env; do chmod 640 $f 2>/dev/null && echo changed; touch -c -d @1 $f 2>/dev/null && test -e $f && echo changed; done; true", ""},
	{"sees no other processes", "cat /proc/[0-9]*/comm | grep -c sandbox.test", "0\n"},
	{"reads no secret of the system", "head -c1 /etc/shadow 2>&1 | grep -c 'Permission denied'", "1\n"},
	{"reads nothing of /etc that is kept from others", "find /etc -type f ! -perm -o+r -readable 2>/dev/null", ""},
	{"cannot unhide a secret", "chmod 600 .env 2>/dev/null; mv .env x 2>/dev/null; rm -f .env 2>/dev/null; cat .env x 2>/dev/null; ls -l .env | cut -c1-10", "----------\n"},
	{"cannot exchange a folder for a link", "mv sub old && ln -s ../outside sub && cat sub/secret 2>/dev/null; rm sub && mv old sub && echo kept", "kept\n"},
	{"cannot take a protected folder with its own", "mkdir -p deep && mv .git deep/ 2>/dev/null || echo kept", "kept\n"},
	{"reads git's folder and changes nothing in it", "cat .git/config; echo x 2>/dev/null >.git/hooks/new || echo refused", "[core]\nrefused\n"},
	{"has a root that cannot be written", "touch /x /proc/x /dev/x /var/x /sys/x /etc/x 2>/dev/null || echo refused", "refused\n"},
	{"has a home of its own", `echo x >~/y && cat ~/y && ls -A ~ | wc -l`, "x\n1\n"},
	{"has a folder for temporary files at its usual place", `echo "$TMPDIR"; echo x >/tmp/y; cat /var/tmp/y`, "/tmp\nx\n"},
	{"reaches itself", "(exec 3<>/dev/tcp/127.0.0.1/9) 2>&1 | grep -o refused | head -n1", "refused\n"},
	{"reaches nobody else", "(exec 3<>/dev/tcp/93.184.215.14/80) 2>&1 | grep -o unreachable | head -n1", "unreachable\n"},
	{"has no file but the standard ones", `for f in /proc/$$/fd/*; do if test -e "$f"; then echo "${f##*/}"; fi; done`, "0\n1\n2\n"},
}

// What the user gives leave for is open, and no more.
func TestLevelAOpensWhatThereIsLeaveFor(t *testing.T) {
	asEachUser(t, func(t *testing.T) {
		for means, start := range meansOfA {
			for _, c := range []struct {
				name, line, want string
				wider            func(*testbed, targets) Wider
			}{
				{
					name: "a secret of the project", line: "cat .env; echo x 2>/dev/null >>../outside/bystander || echo closed", want: "KEY=canary-18\nclosed\n",
					wider: func(b *testbed, _ targets) Wider { return Wider{Read: []string{b.work + "/.env"}} },
				},
				{
					name: "git's folder", line: "echo x >.git/new && echo made && cat ../outside/secret 2>/dev/null || echo closed", want: "made\nclosed\n",
					wider: func(b *testbed, _ targets) Wider { return Wider{Write: []string{b.work + "/.git"}} },
				},
				{
					name: "a commit, and no hook and no setting", want: "one\nclosed\nclosed\n",
					line:  "rm -rf x && git init -q x && cd x && git --version >/dev/null; cd .. && cp -r x/.git/. .git/ 2>/dev/null; git add main.go && git -c user.name=u -c user.email=u@example.com commit -q -m one && git log --format=%s; touch .git/hooks/x 2>/dev/null || echo closed; git config a.b c 2>/dev/null || echo closed",
					wider: func(b *testbed, _ targets) Wider { return Wider{Write: []string{b.work + "/.git"}} },
				},
				{
					name: "git's folder, and no other in its place", line: "mv .git old 2>/dev/null || echo closed", want: "closed\n",
					wider: func(b *testbed, _ targets) Wider { return Wider{Write: []string{b.work + "/.git"}} },
				},
				{
					name: "a setting of git", line: "git config -f .git/config a.b c && git config -f .git/config a.b", want: "c\n",
					wider: func(b *testbed, _ targets) Wider {
						return Wider{Write: []string{b.work + "/.git", b.work + "/.git/config"}}
					},
				},
				{
					name: "a file outside to read", line: "cat ../outside/bystander; echo x 2>/dev/null >>../outside/bystander || ls ../outside", want: "as it was\nbystander\n",
					wider: func(b *testbed, _ targets) Wider { return Wider{Read: []string{b.bystands}} },
				},
				{
					name: "the network, without the sockets of the machine", want: "open\nclosed\nclosed\n",
					line:  `(exec 3<>/dev/tcp/${TCP%:*}/${TCP##*:}) && echo open; for a in "connect to a socket file" "connect without a file"; do EMENDO_TEST_ATTACKS="$a" "$TOOL" . . . . . . "$UNIX" "$NAMED" | grep -q ": refused" && echo closed; done`,
					wider: func(*testbed, targets) Wider { return Wider{Network: Network{All: true}} },
				},
			} {
				t.Run(means+" "+c.name, func(t *testing.T) {
					b, tg := newTestbed(t), newTargets(t)
					p := NewPlace(Place{
						Folders: []string{b.work}, Temp: b.temp, Cache: b.cache, Secret: func(p string) bool { return filepath.Base(p) == ".env" },
					}).Profile(c.wider(b, tg))
					p.Read = append(p.Read, b.tools)
					proc, err := start(t.Context(), Command{
						Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", c.line}, Dir: b.work, Profile: &p,
						Env: []string{"PATH=/usr/bin:/bin", "TCP=" + tg.addresses[0], "UNIX=" + tg.addresses[2], "NAMED=" + tg.addresses[3], "TOOL=" + filepath.Join(b.tools, "attacker")},
					})
					if err != nil {
						t.Fatal(err)
					}
					defer proc.Kill(0)
					if out := readAll(t, proc); out != c.want {
						t.Errorf("got  %q\nwant %q", out, c.want)
					}
				})
			}
		}
	})
}

// The home folder can be the workspace, with emendo's own folders in it, and
// folders can be known by links.
func TestLevelAOfAHomeFolder(t *testing.T) {
	asEachUser(t, func(t *testing.T) {
		for means, start := range meansOfA {
			t.Run(means, func(t *testing.T) {
				base, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				b := &testbed{t: t, base: base}
				home := filepath.Join(base, "home")
				b.put("home/dotfiles/ssh/id_rsa", "canary")
				b.put("home/dotfiles/config/gcloud/key", "canary")
				b.put("home/dotfiles/netrc", "canary")
				b.put("home/own/state/session", "canary")
				b.put("home/own/cache/made", "kept\n")
				b.put("home/own/temp/made", "kept\n")
				b.put("programs/run/bin/greet", "#!/bin/sh\necho hello\n")
				if err := os.Chmod(filepath.Join(base, "programs/run/bin/greet"), 0o700); err != nil { //nolint:gosec // it is run
					t.Fatal(err)
				}
				for from, to := range map[string]string{
					"link": "home", "bin": "programs/run/bin", "home/.ssh": "home/dotfiles/ssh", "home/.config": "home/dotfiles/config", "home/.netrc": "home/dotfiles/netrc",
				} {
					if err := os.Symlink(filepath.Join(base, to), filepath.Join(base, from)); err != nil {
						t.Fatal(err)
					}
				}
				path := "PATH=" + filepath.Join(base, "bin") + ":/usr/bin:/bin"
				p := NewPlace(Place{
					Folders: []string{home}, Home: filepath.Join(base, "link"), Private: []string{home + "/own"}, Cache: home + "/own/cache", Temp: home + "/own/temp", Environ: []string{path},
				}).Profile(Wider{})
				proc, err := start(t.Context(), Command{
					Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", `greet; cat ~/own/cache/made /tmp/made; echo x >~/new; cat "$REAL/new"; ls ~/.ssh ~/own/state 2>/dev/null; cat ~/.ssh/id_rsa ~/.config/gcloud/key ~/.netrc ~/dotfiles/netrc 2>/dev/null; touch ~/own/x 2>/dev/null || echo refused`},
					Dir:  home, Env: []string{path, "HOME=" + filepath.Join(base, "link"), "REAL=" + home}, Profile: &p,
				})
				if err != nil {
					t.Fatal(err)
				}
				defer proc.Kill(0)
				if got, want := readAll(t, proc), "hello\nkept\nkept\nx\nrefused\n"; got != want {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			})
		}
	})
}

// A workspace that holds the system's programs cannot be told from it.
func TestNoLevelHoldsTheWholeMachine(t *testing.T) {
	for means, start := range everyMeans() {
		for _, dir := range []string{"/", "/usr", "/etc"} {
			p := &Profile{Write: []string{dir}}
			if _, err := start(t.Context(), Command{Argv: []string{"/bin/true"}, Dir: "/", Profile: p}); err == nil || !strings.Contains(err.Error(), "open a folder that is less") {
				t.Errorf("%s of %s: %v", means, dir, err)
			}
		}
	}
}

// A command that swaps a folder for a link, again and again, does not have the
// next command see what the link leads to.
func TestNamespacesAreNotMisledBySwappedLinks(t *testing.T) {
	if testing.Short() {
		t.Skip("attack test")
	}
	asEachUser(t, func(t *testing.T) {
		b := newTestbed(t)
		// The first one is on the machine itself: even that does not help it.
		swaps, err := System().Start(t.Context(), Command{
			Argv: []string{filepath.Join(b.tools, "attacker"), b.work, b.outside}, Dir: b.work, Env: []string{"EMENDO_TEST_ATTACKS=" + swapLinks},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer swaps.Kill(0)
		for range 60 {
			p, err := namespaced(t.Context(), Command{
				Argv: []string{"/bin/cat", ".vscode/secret", b.secret}, Dir: b.work, Env: []string{"PATH=/usr/bin:/bin"}, Profile: b.profile(),
			})
			if err != nil {
				t.Fatal(err)
			}
			out := readAll(t, p)
			p.Kill(0)
			if strings.Contains(out, "canary") {
				t.Fatalf("it has read %q", out)
			}
		}
	})
}
