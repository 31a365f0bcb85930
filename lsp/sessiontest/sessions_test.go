package sessiontest

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

var rewrite = flag.Bool("update", false, "rewrite what the session scripts expect")

func TestSessions(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "sessions", "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no session scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			if err := playFile(t, path); err != nil {
				t.Error(err)
			}
		})
	}
}

// playFile plays a script in a bubble and writes it back if it was rewritten.
func playFile(t *testing.T, path string) (err error) {
	t.Helper()
	s, err := readScript(path)
	if err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		return err
	}
	home := t.TempDir()
	synctest.Test(t, func(t *testing.T) { err = playScript(t, s, dir, home) })
	return errors.Join(err, s.save())
}

// playScript plays a script and always cleans up.
func playScript(t *testing.T, s *script, dir, home string) error {
	t.Helper()
	p, err := start(t, s, dir, home)
	if err != nil {
		return err
	}
	err = p.run()
	return errors.Join(err, p.end(err == nil))
}

// Scripts must be able to fail.
func TestScriptsCanFail(t *testing.T) {
	const edit = "-- f --\na\n-- model --\ncall replace {\"file_path\":\"f\",\"old_string\":\"a\",\"new_string\":\"b\"}\n----\nsay Done.\n"
	for _, tt := range []struct{ name, script, want string }{
		{"no first line", "open f\n-- f --\n", ":1: the first line says what is true"},
		{"no such verb", "# A.\nlook f\n", `:2: there is no verb "look"`},
		{"no such section", "# A.\nopen f g\n-- f --\n", `:2: there is no section "g"`},
		{"no such file", "# A.\nopen f\n", ":2: open f: "},
		{"a reply that cannot be read", "# A.\n-- model --\nsing la\n", `reply 1: "sing la": a model cannot sing`},
		{"a reply too many", "# A.\nprompt go\nends end_turn\n-- model --\nsay 1\n----\nsay 2\n", "was not asked for its last 1 replies"},
		{"a reply too few", "# A.\nprompt go\nends end_turn\n", "no reply left"},
		{"an end that nobody looked at", "# A.\nprompt go\n-- model --\nsay 1\n", "the end of the last turn of session one was not looked at"},
		{"another end", "# A.\nprompt go\nends cancelled\n-- model --\nsay 1\n", "it ended with end_turn"},
		{"an end in place of a failure", "# A.\nprompt go\nfails auth_required\n-- model --\nsay 1\n", "it ended with end_turn"},
		{"another failure", "# A.\nprompt go\nfails busy\n-- model --\nfail auth\n", "it failed with auth_required"},
		{"nothing is refused", "# A.\nrefused busy prompt go\n-- model --\nsay 1\n", "it was not refused"},
		{"a turn that waits for ever", "# A.\nprompt go\nends end_turn\n" + edit, "did not end within an hour"},
		{"a hunk that is not there", "# A.\nprompt go\naccept c\n" + edit, `0 hunks that are pending or conflicted hold "c"`},
		{"an expectation that is not written", "# A.\nprompt go\nhunks stand\n" + edit, "+pending: f lines 1-1"},
		{"a text that has changed", "# A.\nprompt go\naccept b\ndisk f\n" + edit, "it is not as in the beginning"},
		{"a file that is there", "# A.\ngone f\n-- f --\n", "it is there"},
		{"an answer to nothing", "# A.\nprompt go\nanswer allow_once\n" + edit, "there is no open question"},
		{"a substitution of nothing", "# A.\nopen f\ntype f s/c/d/\n-- f --\na\n", `"c" is in the text 0 times`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if *rewrite {
				return // it would write what is wrong on purpose
			}
			path := filepath.Join(t.TempDir(), "a.txtar")
			if err := os.WriteFile(path, []byte(tt.script), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := playFile(t, path); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
