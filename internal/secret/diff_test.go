package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/internal/secret"
)

func TestDiffsAreShownWithoutSecrets(t *testing.T) {
	file := func(header, text string) string {
		return header + "@@ -1 +1 @@\n-old " + text + "\n+new " + text + "\n"
	}
	named := func(name string) string {
		return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nindex 1..2 100644\n--- a/%[1]s\n+++ b/%[1]s\n", name)
	}
	for name, tt := range map[string]struct {
		diff string
		left int
	}{
		"an ordinary file":       {file(named("main.go"), "shown"), 0},
		"of the environment":     {file(named(".env"), "hidden"), 1},
		"in a folder":            {file(named("deploy/prod.env"), "hidden"), 1},
		"of direnv":              {file(named(".envrc"), "hidden"), 1},
		"of Terraform":           {file(named("terraform.tfvars"), "hidden"), 1},
		"of a service":           {file(named("service-account.json"), "hidden"), 1},
		"of PostgreSQL":          {file(named(".pgpass"), "hidden"), 1},
		"with a blank":           {file("diff --git a/x y/.env b/x y/.env\n--- a/x y/.env\t\n+++ b/x y/.env\t\n", "hidden"), 1},
		"with quotes":            {file("diff --git \"a/\\303\\244/.env\" \"b/\\303\\244/.env\"\n--- \"a/\\303\\244/.env\"\n+++ \"b/\\303\\244/.env\"\n", "hidden"), 1},
		"with git's mnemonics":   {file("diff --git i/.env w/.env\n--- i/.env\n+++ w/.env\n", "hidden"), 1},
		"without prefixes":       {file("diff --git .env .env\n--- .env\n+++ .env\n", "hidden"), 1},
		"that was renamed":       {file("diff --git a/.env b/env.txt\nsimilarity index 90%\nrename from .env\nrename to env.txt\n--- a/.env\n+++ b/env.txt\n", "hidden"), 1},
		"that is new":            {"diff --git a/.env b/.env\nnew file mode 100644\n--- /dev/null\n+++ b/.env\n@@ -0,0 +1 @@\n+hidden\n", 1},
		"that is deleted":        {"diff --git a/.env b/.env\ndeleted file mode 100644\n--- a/.env\n+++ /dev/null\n@@ -1 +0,0 @@\n-hidden\n", 1},
		"in a merge":             {"diff --cc .env\nindex 1,2..3\n--- a/.env\n+++ b/.env\n@@@ -1,1 -1,1 +1,1 @@@\n--hidden\n++hidden\n", 1},
		"of another program":     {file("--- .env\t2026-11-28 10:00:00\n+++ .env.new\t2026-11-28 10:00:01\n", "hidden"), 1},
		"of Subversion":          {file("Index: .env\n===================\n--- .env\t(revision 1)\n+++ .env\t(working copy)\n", "hidden"), 1},
		"binary":                 {"diff --git a/x.p12 b/x.p12\nindex 1..2\nGIT binary patch\nliteral 6\nhidden\n", 1},
		"by its content":         {named("notes.txt") + "@@ -0,0 +1,3 @@\n+" + strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(testKey, "needle", "hidden")), "\n", "\n+") + "\n", 1},
		"git's settings":         {named(".gitmodules") + "@@ -1 +1 @@\n-a\n+url = https://me:hidden@host/a\n", 1},
		"between others":         {file(named("a.go"), "shown") + file(named(".env"), "hidden") + file(named("b.go"), "shown"), 1},
		"a header in a hunk":     {file(named(".env"), "hidden") + "@@ -5,2 +5,2 @@\n-- x\n--- a/main.go\n+++ b/main.go\n+hidden\n@@ -9 +9 @@\n-hidden\n+hidden\n", 1},
		"a header in plain ones": {"--- .env\n+++ .env\n@@ -5,2 +5,2 @@\n-- x\n--- main.go\n+++ main.go\n+hidden\n@@ -9 +9 @@\n-hidden\n+hidden\n", 1},
		"a folder's name":        {file(named("docs/credentials and more.md"), "shown"), 0},
		"a mode":                 {"diff --git a/run me.sh b/run me.sh\nold mode 100644\nnew mode 100755\n", 0},
		"nothing":                {"", 0},
		"no diff":                {"shown\n", 0},
	} {
		shown, left := secret.Diff(tt.diff)
		if strings.Contains(shown, "hidden") || strings.Count(shown, "shown") != strings.Count(tt.diff, "shown") {
			t.Errorf("%s: shown %s", name, shown)
		}
		if left != tt.left || strings.Count(shown, "(left out: ") != left || left == 0 && shown != tt.diff {
			t.Errorf("%s: %d files are left out: %s", name, left, shown)
		}
	}
}

func TestLongDiffsAreCut(t *testing.T) {
	shown, _ := secret.ShortDiff("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+" + strings.Repeat("ä", 100_000) + "\n")
	if len(shown) > 100_100 || !strings.HasSuffix(shown, "(the rest is left out: the diff has 200051 bytes)\n") {
		t.Errorf("it has %d bytes and ends with %s", len(shown), shown[max(0, len(shown)-100):])
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1,2 +1 @@\n-a\n-b\n+c\n")
	f.Add("--- a\n+++ b\n@@ -1 +1 @@\n\\ No newline\nIndex: x\n@@@\n\n")
	f.Fuzz(func(t *testing.T, diff string) {
		if shown, left := secret.Diff(diff); left == 0 && shown != diff {
			t.Errorf("%q became %q", diff, shown)
		}
	})
}
