package hooks

import (
	"testing"
)

// A folder's name cannot run anything, however the command quotes it.
func TestVariablesInCommands(t *testing.T) {
	for _, tt := range []struct{ name, project, command, want string }{
		{"a blank", "/home/me/my app", `ls $GEMINI_PROJECT_DIR`, `ls '/home/me/my app'`},
		{"a quote", "/it's", `ls $GEMINI_PROJECT_DIR/a`, `ls '/it'\''s'/a`},
		{"between double quotes the shell does it", "/a$(b)", `ls "$GEMINI_PROJECT_DIR"`, `ls "$GEMINI_PROJECT_DIR"`},
		{"between single quotes", "/home/me/my app", `python3 -c 'print("$GEMINI_PROJECT_DIR")'`, `python3 -c 'print("/home/me/my app")'`},
		{"between single quotes, for another shell to run", "/a$(b)", `bash -c 'ls $GEMINI_PROJECT_DIR'`, `bash -c 'ls $GEMINI_PROJECT_DIR'`},
		{"after an apostrophe in a comment", "/a;b", "# it's all\nls $GEMINI_PROJECT_DIR", "# it's all\nls $GEMINI_PROJECT_DIR"},
		{"behind a backslash", "/a", `echo \$GEMINI_PROJECT_DIR \'$GEMINI_PROJECT_DIR`, `echo \$GEMINI_PROJECT_DIR \''/a'`},
		{"a longer name", "/a", `echo $GEMINI_PROJECT_DIRS`, `echo $GEMINI_PROJECT_DIRS`},
		{"nothing behind the dollar", "/a", `echo $`, `echo $`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Scene{Project: tt.project}).inserted(tt.command); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
