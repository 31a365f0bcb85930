package agent

import "testing"

func TestProtection(t *testing.T) {
	for path, want := range map[string]protectionLevel{
		"main.go": open, "a/b.txt": open, ".github/workflows/ci.yml": open, ".gitignore": open, "git/config": open,
		".git": sealed, ".git/config": sealed, "sub/.git/hooks/pre-commit": sealed, ".GIT/config": sealed, ".git./config": sealed, ".git /x": sealed,
		".g\u200cit/config": sealed, ".emendo/settings.json": sealed, ".gemini/x": sealed,
		".vscode/settings.json": guardedPath, ".idea/x": guardedPath, "x.code-workspace": guardedPath, ".husky/pre-commit": guardedPath,
		".hu\u017fky/pre-commit": guardedPath, ".envrc": guardedPath, "home/.ssh/config": guardedPath, ".BashRC": guardedPath, ".vscode/.git/x": sealed,
	} {
		if got := protection(path); got != want {
			t.Errorf("protection of %q is %d, want %d", path, got, want)
		}
	}
}
