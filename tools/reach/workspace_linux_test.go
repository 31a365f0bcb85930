package reach

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

// The user's permission opens exactly what it is for.
func TestLevelAGrantsWhatWasPermitted(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.MeansOfA {
			for _, c := range []struct {
				name, line, want string
				extra            func(*attacktest.Testbed, attacktest.Targets) Extra
			}{
				{
					name: "a secret of the project", line: "cat .env; echo x 2>/dev/null >>../outside/bystander || echo closed", want: "KEY=canary-18\nclosed\n",
					extra: func(b *attacktest.Testbed, _ attacktest.Targets) Extra {
						return Extra{Read: []string{b.Work + "/.env"}}
					},
				},
				{
					name: "git's folder", line: "echo x >.git/new && echo made && cat ../outside/secret 2>/dev/null || echo closed", want: "made\nclosed\n",
					extra: func(b *attacktest.Testbed, _ attacktest.Targets) Extra {
						return Extra{Write: []string{b.Work + "/.git"}}
					},
				},
				{
					name: "a commit, and no hook and no setting", want: "one\nclosed\nclosed\n",
					line: "rm -rf x && git init -q x && cd x && git --version >/dev/null; cd .. && cp -r x/.git/. .git/ 2>/dev/null; git add main.go && git -c user.name=u -c user.email=u@example.com commit -q -m one && git log --format=%s; touch .git/hooks/x 2>/dev/null || echo closed; git config a.b c 2>/dev/null || echo closed",
					extra: func(b *attacktest.Testbed, _ attacktest.Targets) Extra {
						return Extra{Write: []string{b.Work + "/.git"}}
					},
				},
				{
					name: "git's folder, and no other in its place", line: "mv .git old 2>/dev/null || echo closed", want: "closed\n",
					extra: func(b *attacktest.Testbed, _ attacktest.Targets) Extra {
						return Extra{Write: []string{b.Work + "/.git"}}
					},
				},
				{
					name: "a setting of git", line: "git config -f .git/config a.b c && git config -f .git/config a.b", want: "c\n",
					extra: func(b *attacktest.Testbed, _ attacktest.Targets) Extra {
						return Extra{Write: []string{b.Work + "/.git", b.Work + "/.git/config"}}
					},
				},
				{
					name: "a file outside to read", line: "cat ../outside/bystander; echo x 2>/dev/null >>../outside/bystander || ls ../outside", want: "as it was\nbystander\n",
					extra: func(b *attacktest.Testbed, _ attacktest.Targets) Extra { return Extra{Read: []string{b.Bystands}} },
				},
				{
					name: "the network, without the sockets of the machine", want: "open\nclosed\nclosed\n",
					line:  `(exec 3<>/dev/tcp/${TCP%:*}/${TCP##*:}) && echo open; for a in "connect to a socket file" "connect without a file"; do EMENDO_TEST_ATTACKS="$a" "$TOOL" . . . . . . "$UNIX" "$NAMED" | grep -q ": refused" && echo closed; done`,
					extra: func(*attacktest.Testbed, attacktest.Targets) Extra { return Extra{Network: sandbox.Network{All: true}} },
				},
			} {
				t.Run(means+" "+c.name, func(t *testing.T) {
					b, tg := attacktest.NewTestbed(t), attacktest.NewTargets(t)
					p := New(Options{
						Folders: []string{b.Work}, Temp: b.Temp, Cache: b.Cache, Secret: func(p string) bool { return filepath.Base(p) == ".env" },
					}).Profile(c.extra(b, tg))
					p.Read = append(p.Read, b.Tools)
					proc, err := start(t.Context(), sandbox.Command{
						Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", c.line}, Dir: b.Work, Profile: &p.Profile,
						Env: []string{"PATH=/usr/bin:/bin", "TCP=" + tg.Addresses[0], "UNIX=" + tg.Addresses[2], "NAMED=" + tg.Addresses[3], "TOOL=" + filepath.Join(b.Tools, "attacker")},
					})
					if err != nil {
						t.Fatal(err)
					}
					defer proc.Kill(0)
					if out := attacktest.ReadAll(t, proc); out != c.want {
						t.Errorf("got  %q\nwant %q", out, c.want)
					}
				})
			}
		}
	})
}

// The home folder can be the workspace, with emendo's own folders in it and
// links in paths.
func TestLevelAInTheHomeFolder(t *testing.T) {
	attacktest.AsEachUser(t, func(t *testing.T) {
		for means, start := range attacktest.MeansOfA {
			t.Run(means, func(t *testing.T) {
				base, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				b := &attacktest.Testbed{T: t, Base: base}
				home := filepath.Join(base, "home")
				b.Put("home/dotfiles/ssh/id_rsa", "canary")
				b.Put("home/dotfiles/config/gcloud/key", "canary")
				b.Put("home/dotfiles/netrc", "canary")
				b.Put("home/own/state/session", "canary")
				b.Put("home/own/cache/made", "kept\n")
				b.Put("home/own/temp/made", "kept\n")
				b.Put("programs/run/bin/greet", "#!/bin/sh\necho hello\n")
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
				p := New(Options{
					Folders: []string{home}, Home: filepath.Join(base, "link"), Private: []string{home + "/own"}, Cache: home + "/own/cache", Temp: home + "/own/temp", Environ: []string{path},
				}).Profile(Extra{})
				proc, err := start(t.Context(), sandbox.Command{
					Argv: []string{"/bin/bash", "--noprofile", "--norc", "-c", `greet; cat ~/own/cache/made /tmp/made; echo x >~/new; cat "$REAL/new"; ls ~/.ssh ~/own/state 2>/dev/null; cat ~/.ssh/id_rsa ~/.config/gcloud/key ~/.netrc ~/dotfiles/netrc 2>/dev/null; touch ~/own/x 2>/dev/null || echo refused`},
					Dir:  home, Env: []string{path, "HOME=" + filepath.Join(base, "link"), "REAL=" + home}, Profile: &p.Profile,
				})
				if err != nil {
					t.Fatal(err)
				}
				defer proc.Kill(0)
				if got, want := attacktest.ReadAll(t, proc), "hello\nkept\nkept\nx\nrefused\n"; got != want {
					t.Errorf("got  %q\nwant %q", got, want)
				}
			})
		}
	})
}
