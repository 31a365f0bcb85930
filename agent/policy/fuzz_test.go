package policy

import (
	"strings"
	"testing"
)

// FuzzFile reads any text as a policy file: it is valid or yields one line of
// error. No valid file lets anything run in a restricted folder, or lets a tool
// change git's configuration unless the file names it.
func FuzzFile(f *testing.F) {
	f.Add("[[rule]]\ntoolName = \"*\"\ndecision = \"allow\"\npriority = 999\n")
	f.Add("[[rule]]\nmcpName = \"*\"\ndecision = \"deny\"\nmodes = [\"yolo\"]\ntoolAnnotations = { a = 1 }\n")
	f.Add("rule = [{ toolName = [\"run_shell_command\"], commandPrefix = \"git 'a b'\", decision = \"ask\" }]\n")
	f.Add("[[rule]]\ntoolName = \"replace\"\nargsPattern = '\\.vscode'\ndecision = \"allow\"\n")
	f.Add("[[safety_checker]]\nchecker = { type = \"in-process\", name = \"allowed-path\" }\n[rule]\n")
	command, config := callOf(runs(part(1, "make"), unknown())), callOf(edit("/project/.git/config"))
	command.Trusted, command.Mode, config.Mode = false, Yolo, Yolo
	f.Fuzz(func(t *testing.T, text string) {
		rules, warnings, err := parse("f.toml", []byte(text), OfUser)
		if err != nil && (strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "f.toml")) {
			t.Errorf("the mistake is %q", err.Error())
		}
		for _, w := range warnings {
			if strings.Contains(w.String(), "\n") {
				t.Errorf("the warning is %q", w)
			}
		}
		e := New(rules, nil)
		if d := e.Decide(command); d.Kind != Deny {
			t.Errorf("in a restricted folder it is %s by %s", d.Kind, d.Rule)
		}
		if d := e.Decide(config); d.Kind != Deny && !strings.Contains(text, "git") {
			t.Errorf("what git goes by: %s by %s", d.Kind, d.Rule)
		}
	})
}
