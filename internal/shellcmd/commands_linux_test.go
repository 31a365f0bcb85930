package shellcmd

import (
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var (
	commands   = flag.Int("commands", 400, "how many random commands that are allowed are run in bash")
	allLocales = flag.Bool("locales", false, "fail where GBK, GB18030 and Shift JIS cannot be had")
)

// rulesForRandom allow the unknown programs of random commands.
var rulesForRandom = []string{"a", "b", "c", "true", "false"}

// allowedCommands generates n random commands that are allowed and passes their
// analyses to each in batches.
func allowedCommands(n int, seed uint64, each func([]Analysis)) (written int) {
	w := writer{rand.New(rand.NewPCG(seed, 11))}
	var batch []Analysis
	for left := n; left > 0; written++ {
		r := Analyze(w.command(), "/w", []string{"/w"})
		if decided(r, rulesForRandom, nil) != "allow" {
			continue
		}
		left--
		if batch = append(batch, r); len(batch) == 1000 || left == 0 {
			each(batch)
			batch = nil
		}
	}
	return written
}

func given(r Analysis) string { return r.Command }

func linesOf(l []Analysis, of func(Analysis) string) []string {
	var all []string
	for _, r := range l {
		all = append(all, of(r))
	}
	return all
}

// Bash does the same with an allowed command and with its canonical form: the
// same words, input and descriptors, in the same control flow. Where it would
// not, the command needs approval.
func TestBashDoesTheSameWithTheCanonicalForm(t *testing.T) {
	if testing.Short() {
		t.Skip("runs thousands of random commands")
	}
	s := newTracedShell(t, "LC_ALL=C.UTF-8")
	ran := 0
	written := allowedCommands(*commands, 21, func(batch []Analysis) {
		want, got := s.run(t, linesOf(batch, given)), s.run(t, linesOf(batch, Analysis.Line))
		for i, r := range batch {
			ran += len(want[i])
			if !slices.Equal(got[i], want[i]) {
				t.Fatalf("of %q bash makes\n%q\nand of its canonical form %q\n%q", r.Command, want[i], r.Line(), got[i])
			}
		}
	})
	if ran < *commands {
		t.Errorf("%d commands ran %d only", *commands, ran)
	}
	t.Logf("%d of %d commands are allowed, and ran %d", *commands, written, ran)
}

// An allowed command changes no file and runs only what was decided, also in
// locales in which the last byte of a character can be a backslash.
func TestAllowedCommandsRunOnlyWhatWasDecided(t *testing.T) {
	if testing.Short() {
		t.Skip("runs thousands of random commands")
	}
	all := locales(t)
	for i, l := range all {
		t.Run(l.name, func(t *testing.T) {
			s := newTracedShell(t, l.env...)
			if l.tricky && !touches(s.run(t, []string{`echo 字\;touch pwned`})[0]) {
				t.Errorf("bash does not read a command as the locale has it")
			}
			allowedCommands(*commands/len(all)+1, uint64(31+i), func(batch []Analysis) {
				for i, ran := range s.run(t, linesOf(batch, Analysis.Line)) {
					if more := beyond(batch[i], ran); more != "" {
						t.Fatalf("of %q, given as %q, bash runs %q, which was not decided\n%s", batch[i].Line(), batch[i].Command, more, described(batch[i]))
					}
				}
			})
		})
	}
}

// beyond returns a command that ran and is not a part of what was decided;
// empty if there is none. Each part can run once.
func beyond(r Analysis, ran traced) string {
	var parts []string
	for _, p := range r.Parts {
		parts = append(parts, strings.Join(p.Words, "\x04")+"\x04")
	}
	for _, c := range ran {
		i := slices.IndexFunc(parts, func(words string) bool { return words == c.words })
		if i < 0 {
			i = slices.IndexFunc(r.Parts, func(p Part) bool { return patterned(p, c.words) })
		}
		if i < 0 {
			return c.words
		}
		parts[i] = "\x01" // has run
	}
	return ""
}

// patterned reports whether words belong to a part with patterns, which expand
// to names of files.
func patterned(p Part, words string) bool {
	return strings.ContainsAny(p.Text, "*?[") && len(p.Words) > 0 && strings.HasPrefix(words, strings.Join(p.Words, "\x04")+"\x04")
}

// The tracer detects hidden commands: bash does run them if it gets the text as
// it is.
func TestTheTracerSeesWhatIsHidden(t *testing.T) {
	s := newTracedShell(t, "LC_ALL=C.UTF-8")
	for _, command := range []string{"cat <<-E\n\t\\\nE\ntouch pwned\nE", "cat <<'E'# && touch pwned\nE", "echo \"$\\\n(touch pwned)\""} {
		if ran := s.run(t, []string{command})[0]; !touches(ran) {
			t.Errorf("the tracer sees %q of %q", ran, command)
		}
	}
}

func touches(ran traced) bool {
	return slices.ContainsFunc(ran, func(c tracedCommand) bool { return c.words == "touch\x04pwned\x04" })
}

// A textLocale is a locale that bash can be run in.
type textLocale struct {
	name   string
	env    []string
	tricky bool // a backslash can be the last byte of a character
}

// locales returns UTF-8 and the locales that can be built here, in which the
// last byte of some characters is a backslash.
func locales(t *testing.T) []textLocale {
	t.Helper()
	l := []textLocale{{name: "UTF-8", env: []string{"LC_ALL=C.UTF-8"}}, {name: "C", env: []string{"LC_ALL=C"}}}
	dir := t.TempDir()
	source := filepath.Join(dir, "characters")
	if err := os.WriteFile(source, []byte("LC_CTYPE\ncopy \"i18n\"\nEND LC_CTYPE\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, charmap string }{{"GBK", "GBK"}, {"GB18030", "GB18030"}, {"Shift JIS", "SHIFT_JIS"}} {
		made := filepath.Join(dir, "xx."+c.charmap)
		out, err := exec.Command("localedef", "-c", "-i", source, "-f", c.charmap, made).CombinedOutput()
		if _, missing := os.Stat(filepath.Join(made, "LC_CTYPE")); missing != nil {
			if *allLocales {
				t.Fatalf("the locale %s cannot be made: %v: %s", c.name, err, out)
			}
			continue
		}
		l = append(l, textLocale{c.name, []string{"LOCPATH=" + dir, "LC_ALL=xx." + c.charmap}, true})
	}
	return l
}
