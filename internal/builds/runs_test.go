package builds

import "testing"

func TestFilesThatToolsRunByThemselves(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		want                bool
	}{
		{"Makefile", "all:\n", "all:\n\ttrue\n", true},
		{"a/b/build.rs", "", "fn main() {}\n", true},
		{"tests/CONFTEST.PY", "x", "y", true},
		{"vite.config.ts", "x", "y", true},
		{"rules.mk", "x", "", true},
		{"main.go", "x", "y", false},
		{"docs/build.md", "x", "y", false},
		{"config.js", "x", "y", false},
		{"package.json", `{"scripts": {"test": "true"}}`, `{"scripts": {"test": "false"}}`, true},
		{"package.json", `{"scripts": {"test": "true"}}`, `{"scripts": {"test": "true"}, "version": "2"}`, false},
		{"package.json", `{"dependencies": {}}`, `{"dependencies": {"a": "1"}}`, false},
		{"package.json", `{}`, `{"jest": {"setupFiles": ["./x.js"]}}`, true},
		{"package.json", `{}`, `{`, true},
		{"package.json", "", `{"name": "a"}`, false},
		{"package.json", "", `{"name": "a", "scripts": {"postinstall": "x"}}`, true},
		{"Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"b\"\n[dependencies]\nx = \"1\"\n", false},
		{"Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\nbuild = \"x.rs\"\n", true},
		{"Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\n[build-dependencies]\nx = \"1\"\n", true},
		{"pyproject.toml", "[project]\nname = \"a\"\n", "[project]\nname = \"a\"\ndependencies = [\"x\"]\n", false},
		{"pyproject.toml", "[project]\nname = \"a\"\n", "[project]\nname = \"a\"\n[build-system]\nbuild-backend = \"x\"\n", true},
		{"pyproject.toml", "[project]\nname = \"a\"\n", "[project]\nname = \"a\"\n[tool.pytest.ini_options]\naddopts = \"-p x\"\n", true},
	} {
		if got := Runs(tt.name, tt.before, tt.after); got != tt.want {
			t.Errorf("%s from %q to %q: %v", tt.name, tt.before, tt.after, got)
		}
	}
}
