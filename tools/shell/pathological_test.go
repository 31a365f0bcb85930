package shell

import (
	"strings"
	"testing"
	"time"
)

// What is as long and as nested as it may be is read all the same, and soon:
// nothing stands behind so many wrappers that it is not found.
func TestNothingTakesLong(t *testing.T) {
	fill := func(s, end string) string { return strings.Repeat(s, (maxParsed-100)/len(s)) + end }
	for name, command := range map[string]string{
		"wrappers":                  fill("env ", "rm x"),
		"wrappers in doubt":         fill("env --x ", "rm x"),
		"wrappers with assignments": fill("env A=b ", "rm x"),
		"eval of eval":              fill("eval ", "rm x"),
		"searches that search":      fill("find -exec ", "rm x"),
		"searches one after other":  fill("find -exec rm \\; ", ""),
		"containers":                fill("docker run ", "rm x"),
		"lists":                     fill("ls;", "rm x"),
		"pipes":                     fill("a|", "rm x"),
		"conditions":                fill("ls && cd a || ", "rm x"),
		"folders":                   fill("cd a; ", "rm x"),
		"timed":                     fill("time ", "rm x"),
		"options":                   "git log " + fill("-p ", "; rm x"),
		"packages":                  fill("npx ", "rm x"),
		"rebases":                   fill("git rebase -x ", "rm"),
		"bisections":                fill("git bisect run ", "rm x"),
		"wildcards":                 "rm " + fill("* ", ""),
		"submodules":                fill("git submodule foreach ", "rm x"),
		"ssh":                       fill("ssh h ", "rm x"),
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			r := Analyze(command, "/w", []string{"/w"})
			took := time.Since(began)
			if decided(r, nil, []string{"rm"}) != "deny" {
				t.Errorf("rm is not found in %.60q: %s", command, r.Why)
			}
			if took > 10*time.Second { // of which a busy machine may take most
				t.Errorf("it took %v, with %d parts", took, len(r.Parts))
			}
			t.Logf("%v, %d parts", took, len(r.Parts))
		})
	}
}
