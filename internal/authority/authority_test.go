package authority

import (
	"strings"
	"testing"
)

func TestChanged(t *testing.T) {
	for line, want := range map[string]string{
		"trust add /x":                    "trust add",
		"trust remove":                    "trust remove",
		"trust list":                      "",
		"trust":                           "",
		"--debug trust add":               "trust add",
		"policy remove x":                 "policy remove",
		"policy check --no-sandbox x":     "",
		"policy explain ls":               "",
		"mcp add n -- p":                  "mcp add",
		"mcp login n":                     "mcp login",
		"mcp list":                        "",
		"mcp --verbose remove n":          "mcp remove",
		"extensions install x":            "extensions install",
		"extensions list":                 "",
		"setup neovim":                    "setup",
		"setup --dry-run":                 "",
		"import claude":                   "import",
		"auth login":                      "auth login",
		"auth status":                     "",
		"run -p hi":                       "",
		"run -p hi --trust":               "--trust",
		"run -trust -p hi":                "--trust",
		"run --approval-mode=yolo -p hi":  "--approval-mode",
		"acp --no-sandbox":                "--no-sandbox",
		"doctor":                          "",
		"trust add --help":                "trust add",
		"help trust add":                  "",
		"mcp add n -- p --help":           "mcp add",
		"setup --dry-run --dry-run=false": "setup",
		"setup -- --dry-run":              "setup",
	} {
		if got := Changed(strings.Fields(line), true); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	for line, changes := range map[string]bool{"": true, "trust": true, "trust list": false, "run -p": true, "setup --dry-run": true} {
		if got := Changed(strings.Fields(line), false); (got != "") != changes {
			t.Errorf("%s and more: got %q", line, got)
		}
	}
}

func TestProgram(t *testing.T) {
	for word, is := range map[string]bool{"emendo": true, "/usr/bin/emendo": true, "./emendo": true, `C:\x\Emendo.EXE`: true, "emendo-x": false, "x": false, "": false} {
		if Program(word) != is {
			t.Errorf("%q: %v", word, !is)
		}
	}
}
