package policy

import (
	"testing"

	"github.com/emendo-dev/emendo/internal/shellcmd/shellcmdtest"
)

// TestExpressionsAboutCommands checks expressions against parsed commands: one
// that allows must name every word, and one that denies matches every spelling.
func TestExpressionsAboutCommands(t *testing.T) {
	w := shellcmdtest.Workspace(t)
	for _, c := range []struct {
		name    string
		rule    string // without its tool
		command string
		mode    Mode // empty: the default
		want    string
	}{
		{"a redirection is no word", `commandRegex = 'git [^ ]+'; decision = "allow"`, "git 2>/dev/null push", "", "ask"},
		{"blanks in quotes make no words", `commandRegex = 'git -C "[^"]*"'; decision = "allow"`, `git -C "a b c d" push --force`, "", "ask"},
		{"the words that count are named", `commandRegex = 'git (push|fetch) [a-z]+'; decision = "allow"`, "git push origin", "", "allow"},
		{"they are named with quotes", `commandRegex = 'git "?push"?'; decision = "allow"`, `git "push"`, "", "allow"},
		{"arguments name too little", `argsPattern = '"command":"git'; decision = "allow"`, "git push", "", "ask"},
		{"arguments name all that counts", `argsPattern = '"command":"git push'; decision = "allow"`, "git push origin", "", "allow"},
		{"arguments end inside a word", `argsPattern = '"command":"git push'; decision = "allow"`, "git pushy", "", "ask"},
		{"arguments name no option", `argsPattern = '"command":"git push'; decision = "allow"`, "git push --force", "", "ask"},
		{"arguments name the middle", `argsPattern = 'npm test'; decision = "allow"`, "tool npm test", "", "ask"},
		{"arguments name the beginning by the way", `argsPattern = 'npm test'; decision = "allow"`, "npm test", "", "allow"},
		{"arguments name the end", `argsPattern = '\}$'; decision = "allow"`, "npm test", "", "ask"},
		{"arguments name all of a command with quotes", `argsPattern = '"command":"tool \\"a b\\""'; decision = "allow"`, `tool "a b"`, "", "allow"},
		{"arguments between NUL characters, as Gemini CLI writes them", `argsPattern = '\0"command":"npm test"\0'; decision = "allow"`, "npm test", "", "allow"},

		{"a line end in quotes hides nothing", `commandRegex = 'git commit.*--amend'; decision = "deny"`, "git commit -m 'a\nb' --amend", "", "deny"},
		{"a line end that goes on hides nothing", `commandRegex = 'git push --force'; decision = "deny"`, "git push \\\n --force", "", "deny"},
		{"the end is a quote, as in Gemini CLI's files", `commandRegex = 'npm test"'; decision = "deny"`, "npm test", "", "deny"},
		{"a quote is escaped, as in Gemini CLI's files", `commandRegex = 'tool \\"a'; decision = "deny"`, `tool "a b"`, "", "deny"},
		{"a program in capitals and a folder", `commandRegex = 'git push'; decision = "deny"`, "/usr/bin/GIT push", "", "deny"},
		{"behind a wrapper, by arguments", `argsPattern = '"command":"git push'; decision = "deny"`, "timeout 5 /usr/bin/git push", "", "deny"},
		{"behind options, by arguments", `argsPattern = '"command":"git push'; decision = "deny"`, "git -C sub push", "", "deny"},

		{"it may turn out to be denied", `commandRegex = 'git push'; decision = "deny"`, "git $X", Yolo, "ask"},
		{"it may go on to be denied", `commandRegex = 'git push.*--force'; decision = "deny"`, "git push $X", Yolo, "ask"},
		{"it cannot be denied any more", `commandRegex = 'git push'; decision = "deny"`, "git pull $X", Yolo, "allow"},
		{"it may be one of several", `commandRegex = '(rm|mv) -[a-z]*f'; decision = "deny"`, "mv $X", Yolo, "ask"},
		{"it matches none of several", `commandRegex = '(rm|mv) -[a-z]*f'; decision = "deny"`, "tool $X", Yolo, "allow"},
		{"it may be denied by arguments", `argsPattern = '"command":"git push'; decision = "deny"`, "git $X", Yolo, "ask"},
		{"it cannot be denied by arguments", `argsPattern = '"command":"git push'; decision = "deny"`, "npm $X", Yolo, "allow"},
		{"arguments are denied that may be anywhere", `argsPattern = 'prod'; decision = "deny"`, "tool $X", Yolo, "ask"},
		{"a pattern may find what is denied", `commandPrefix = 'cat notes.txt'; decision = "deny"`, "cat n*", Yolo, "ask"},
		{"a pattern may find what an expression denies", `commandRegex = 'cat .*notes'; decision = "deny"`, "cat -n n*", Yolo, "ask"},
		{"a pattern of another program", `commandPrefix = 'cat notes.txt'; decision = "deny"`, "ls n*", Yolo, "allow"},
		{"a pattern in quotes is a word", `commandRegex = 'grep .*notes'; decision = "deny"`, "grep 'n*' x", Yolo, "allow"},
		{"other arguments are denied", `argsPattern = '"dir_path":"prod'; decision = "deny"`, "tool $X", Yolo, "allow"},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := shellCall(t, c.command, w, Default)
			if c.mode != "" {
				call.Mode = c.mode
			}
			if d := New(rulesOf(t, commandRule(c.rule)), nil).Decide(call); d.Kind.String() != c.want {
				t.Errorf("%s by %s (%s), want %s", d.Kind, d.Rule, d.Reason, c.want)
			}
		})
	}
}
