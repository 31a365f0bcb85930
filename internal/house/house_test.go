package house

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// A rule checks the tree and returns the problems: where they are, and what to do.
type rule struct {
	name  string
	check func(tree) []string
}

var rules = []rule{
	{"imports point right", importsPointRight},
	{"the top level is tidy", topLevelIsTidy},
	{"packages are named after their idea", packagesAreNamed},
	{"packages are documented", packagesAreDocumented},
	{"files are short", filesAreShort},
	{"packages are small", packagesAreSmall(tooLarge)},
	{"types are small", typesAreSmall(tooManyMethods)},
	{"calls are direct", callsAreDirect(indirectCalls)},
	{"names say what functions do", namesSayWhat(vagueNames)},
	{"sentences stand in one file", sentencesStandInOneFile},
	{"packages are tested", packagesAreTested(untested)},
	{"only cmd is the process", onlyCmdIsTheProcess},
	{"models are in the catalogue", modelsAreInTheCatalogue},
	{"facts have one list", factsHaveOneList},
	{"tools declare themselves", toolsDeclareThemselves},
	{"Lua modules form no circle", luaModulesFormNoCircle},
	{"large patterns are compiled on first use", patternsAreCheap},
	{"tests wait for events", testsWaitForEvents},
	{"tests are not skipped", testsAreNotSkipped},
	{"methods are documented", methodsAreDocumented},
	{"links lead somewhere", linksLead},
	{"pages are linked", pagesAreLinked},
	{"named tests exist", namedTestsExist},
	{"English is plain", englishIsPlain},
	{"prose is wrapped", proseIsWrapped},
	{"names in the architecture exist", architectureNamesExist},
	{"recipes name files", recipesNameFiles},
	{"dependencies are decided", dependenciesAreDecided},
}

func TestHouse(t *testing.T) {
	house := plant(t, os.DirFS("../.."))
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, problem := range r.check(house) {
				t.Error(problem)
			}
		})
	}
}

func TestRulesCanFail(t *testing.T) {
	imports := func(name string, paths ...string) string {
		text := "package " + name + "\n\nimport (\n"
		for _, p := range paths {
			text += "\t_ \"" + p + "\"\n"
		}
		return text + ")\n"
	}
	methods := func(of string, n int) string {
		var text strings.Builder
		for i := range n {
			fmt.Fprintf(&text, "\nfunc (%s) M%d() {}\n", of, i)
		}
		return text.String()
	}
	for _, tt := range []struct {
		name  string
		rule  func(tree) []string
		files map[string]string
		want  []string // the beginning of each problem
	}{
		{
			name: "a model's name outside the catalogue", rule: modelsAreInTheCatalogue,
			files: map[string]string{
				"agent/route/route.go":         "package route\n\nconst strong = \"gemini-2.5-pro\"\n",
				"agent/route/other.go":         "package route\n\nconst (\n\ta = \"gpt-6\"\n\tb = \"claude-opus-5\"\n)\n",
				"agent/route/route_test.go":    "package route\n\nconst strong = \"gemini-2.5-pro\"\n",
				"agent/model/modeltest/all.go": "package modeltest\n\nconst strong = \"gemini-3-flash-preview\"\n",
			},
			want: []string{"agent/route/other.go:4:6: the name of a model", "agent/route/other.go:5:6: the name of a model", "agent/route/route.go:3:16: the name of a model"},
		},
		{
			name: "short names that are no idiom", rule: namesSayWhat(1),
			files: map[string]string{
				"ide/a.go":      "package ide\n\nfunc own() {}\n\nfunc read() {}\n\nfunc takes() {}\n",
				"ide/a_test.go": "package ide\n\nfunc bare() {}\n",
				"tools/b.go":    "package tools\n\ntype t int\n\nfunc (t) Fits() {}\n",
			},
			want: []string{"2 functions have a name of at most 4 letters that is no idiom, more than 1: say what they do in the field's words (ide.own, tools.Fits)"},
		},
		{
			name: "sentences of clients", rule: sentencesStandInOneFile,
			files: map[string]string{
				"editors/vscode/src/a.ts":              "// A comment is no sentence.\nconst a = t('Write a text.'), b = 'a.b', c = /a b c'/, d = `go ${'x'} then and there`;\n",
				"editors/vscode/src/a.test.ts":         "const a = 'Write a text.';\n",
				"editors/vscode/src/shared/words.ts":   "export const a = 'Write a text.';\n",
				"editors/vscode/view/b.tsx":            "const a = <i title=\"Write a text.\" class=\"row low\">{x / 2}</i>;\n",
				"editors/neovim/lua/emendo/a.lua":      "-- don't read this\nlocal a, b = 'the file is there', 'normal! gg' --[[ 'no file is there' ]]\n",
				"editors/neovim/lua/emendo/words.lua":  "return { a = 'the file is there' }\n",
				"editors/neovim/e2e/testdata/init.lua": "print('the file is there')\n",
			},
			want: []string{
				"editors/neovim/lua/emendo/a.lua:2 says \"the file is there\"" + theServerSays, "editors/vscode/src/a.ts:2 says \"Write a text.\"" + theServerSays,
				"editors/vscode/src/a.ts:2 says \"go ${'x'} then and there\"" + theServerSays, "editors/vscode/view/b.tsx:1 says \"Write a text.\"" + theServerSays,
			},
		},
		{
			name: "second lists in any language", rule: factsHaveOneList,
			files: map[string]string{
				"internal/secret/a.go":      "package secret\n\nvar (\n\tsecretNames = []string{\".netrc\", \".pgpass\", \"credentials\"}\n\tsecretEnds = []string{\".pem\", \".key\"}\n)\n",
				"internal/providers/b.go":   "package providers\n\nvar All = []struct{ n, v string }{{\"a\", \"A_API_KEY\"}, {\"b\", \"B_API_KEY\"}, {\"c\", \"C_TOKEN\"}}\n",
				"tools/glob.go":             "package tools\n\nvar a = []string{\".netrc\", \".pgpass\", \"*.pem\"}\n",
				"tools/two.go":              "package tools\n\nvar b = []string{\".netrc\", \".pgpass\", \"permission\"}\n",
				"tools/env.go":              "package tools\n\nconst c = `A_API_KEY B_API_KEY C_TOKEN`\n",
				"tools/env_test.go":         "package tools\n\nconst d = `A_API_KEY B_API_KEY C_TOKEN`\n",
				"internal/protect/names.go": "package protect\n\nvar e = []string{\".netrc\", \".pgpass\", \".pem\"}\n",
				"editors/x/a.lua":           "local s, ends = { '.netrc', 'credentials' }, { 'pem' }\n",
				"editors/x/b.ts":            "const s = /(^|\\/)(\\.netrc|\\.pgpass|[^/]*\\.(pem|key))$/;\n",
				"editors/x/b.test.ts":       "const s = ['.netrc', '.pgpass', 'a.pem'];\n",
				"editors/x/e2e/a.lua":       "local s = { '.netrc', '.pgpass', 'a.pem' }\n",
				"editors/x/c.ts":            "const netrc = map(key, pem);\n",
				"internal/own/own.go":       "package own\n\nconst (\n\tEmendo = \".emendo\"\n\tGemini = \".gemini\"\n)\n",
				"tools/own.go":              "package tools\n\nvar f = []string{\".gemini/x\", \".emendo\"}\n",
				"tools/prose.go":            "package tools\n\n// .emendo and .gemini are folders.\nvar g = \"in .emendo or .gemini\"\n",
				"editors/x/own.ts":          "const own = ['.emendo', '.gemini'];\n",
				"lsp/client/known.go":       "package client\n\nvar known = map[string]bool{\"kate\": true}\n",
				"lsp/chat/kate.go":          "package chat\n\nvar h = name == \"Kate\"\n",
				"editors/x/kate.lua":        "-- Kate\nif client.name == 'kate' then end\n",
				"cmd/emendo/doctor/k.go":    "package doctor\n\nvar i = \"kate\"\n",
			},
			want: []string{
				"editors/x/a.lua: a second list of names of secrets (.netrc, .pem, credentials)",
				"editors/x/b.ts: a second list of names of secrets",
				"tools/glob.go: a second list of names of secrets (.netrc, .pem, .pgpass)",
				"editors/x/own.ts: a second list of emendo's own folders (.emendo, .gemini)",
				"tools/own.go: a second list of emendo's own folders (.emendo, .gemini)",
				"editors/x/kate.lua: a second list of clients that can do other things than they declare (kate)",
				"lsp/chat/kate.go: a second list of clients that can do other things than they declare (kate)",
				"tools/env.go: a second list of variables with keys (A_API_KEY, B_API_KEY, C_TOKEN)",
			},
		},
		{
			name: "lists of tools", rule: toolsDeclareThemselves,
			files: map[string]string{
				"tools/glob.md": "", "tools/user/ask_user.md": "", "tools/replace.md": "",
				"agent/compact/mask.go":      "package compact\n\nvar a = []string{\"glob\", \"ask_user\", \"replace\"}\n",
				"agent/compact/mask_test.go": "package compact\n\nvar b = []string{\"glob\", \"ask_user\", \"replace\"}\n",
				"agent/compact/two.go":       "package compact\n\nvar c = []string{\"glob\", \"ask_user\"} // not replace\n",
				"editors/x/a.ts":             "const d = ['glob', 'ask_user', 'replace'];\n",
			},
			want: []string{"agent/compact/mask.go: a list of tools (ask_user, glob, replace)", "editors/x/a.ts: a list of tools (ask_user, glob, replace)"},
		},
		{
			name: "Lua modules that require each other", rule: luaModulesFormNoCircle,
			files: map[string]string{
				"editors/x/lua/x/init.lua":     "require('x.low').f()\nrequire('x.own')\n-- require('x.none')\n",
				"editors/x/lua/x/low.lua":      "local M = {} -- as require('x') says\nreturn M\n",
				"editors/x/lua/x/own.lua":      "vim.cmd(\"lua require('x.own').f()\")\n",
				"editors/x/lua/x/a.lua":        "local b = require 'x.b'\n",
				"editors/x/lua/x/b.lua":        "local function f()\n  return require(\"x.sub\").f()\nend\n",
				"editors/x/lua/x/sub/init.lua": "vim.o.winbar = \"%{v:lua.require'x.a'.f()}\"\n",
				"editors/x/lua/x/c.lua":        "local d = package.loaded['x.d']\n",
				"editors/x/lua/x/d.lua":        "local ok, c = pcall(require, 'x.c')\n",
				"editors/x/lua/x/up/g.lua":     "require('x.down.h')\n",
				"editors/x/lua/x/up/i.lua":     "require('x.a')\n",
				"editors/x/lua/x/down/h.lua":   "require('x.up.i')\n",
				"editors/x/lua/x/e.lua":        "return function(name) require('x.' .. name) end\n",
				"editors/x/lua/x/f.lua":        "for _, name in ipairs(names) do require(name) end\n",
				"editors/x/e2e/walk.lua":       "require('x.a')\n",
			},
			want: []string{
				"editors/x/lua/x/e.lua: require of a name that is put together",
				"editors/x/lua/x/f.lua: require of a name that is in a variable",
				"editors/x/lua/x/a.lua: x.a → x.b → x.sub → x.a is a circle of require: the lower of them tells",
				"editors/x/lua/x/c.lua: x.c → x.d → x.c is a circle of require",
				"editors/x/lua/x/down: the folders editors/x/lua/x/down → editors/x/lua/x/up → editors/x/lua/x/down require each other",
			},
		},
		{
			name: "patterns compiled at the start", rule: patternsAreCheap,
			files: map[string]string{
				"tools/glob.go":      "package tools\n\nimport \"regexp\"\n\nvar a, b = regexp.MustCompile(`a{200}`), func() { regexp.MustCompile(`b{200}`) }\n\nfunc c() { regexp.MustCompile(`c{200}`) }\n",
				"tools/list.go":      "package tools\n\nvar e, f = regexp.MustCompile(`e+`), regexp.MustCompile(`[ab]{9}(c|d){90}`)\n",
				"tools/glob_test.go": "package tools\n\nimport \"regexp\"\n\nvar d = regexp.MustCompile(`d{200}`)\n",
			},
			want: []string{"tools/glob.go:5:12: every start of the program compiles this pattern", "tools/list.go:3:38: every start of the program compiles this pattern"},
		},
		{
			name: "packages to the right may be imported", rule: importsPointRight,
			files: map[string]string{
				"cmd/emendo/main.go":             imports("main", module+"/lsp", module+"/agent/model/gemini", module+"/internal/trust"),
				"lsp/server.go":                  imports("lsp", module+"/acp", module+"/agent", module+"/internal/rpc", "os"),
				"agent/session.go":               imports("agent", module+"/agent/model", module+"/tools", module+"/ide/ledger"),
				"agent/session_test.go":          imports("agent", module+"/agent/model/gemini", module+"/agent/model/modeltest"),
				"agent/model/gemini/stream.go":   imports("gemini", module+"/agent/model"),
				"tools/shell/run.go":             imports("shell", module+"/tools", module+"/ide"),
				"ide/ledger/ledger.go":           imports("ledger", module+"/ide/diff"),
				"lsp/lsptest/lsptest.go":         imports("lsptest", module+"/lsp", module+"/agent/model/modeltest"),
				"cmd/emendo/testdata/x/other.go": imports("x", module+"/nowhere"),
			},
		},
		{
			name: "packages to the left may not", rule: importsPointRight,
			files: map[string]string{
				"acp/agent.go":                imports("acp", module+"/lsp"),
				"agent/model/retry.go":        imports("model", module+"/ide"),
				"agent/session.go":            imports("agent", module+"/internal/rpc"),
				"ide/ledger/ledger_test.go":   imports("ledger", module+"/tools"),
				"internal/rpc/conn.go":        imports("rpc", module+"/ide"),
				"internal/settings/load.go":   imports("settings", module+"/internal/trust"),
				"lsp/server.go":               imports("lsp", module+"/cmd/emendo"),
				"tools/replace.go":            imports("tools", module+"/agent/model"),
				"tools/shell/policy_test.go":  imports("shell", module+"/agent"),
				"agent/model/gemini/speak.go": imports("gemini", module+"/tools"),
			},
			want: []string{
				"acp/agent.go:4:2: acp imports lsp",
				"agent/model/gemini/speak.go:4:2: agent/model imports tools",
				"agent/model/retry.go:4:2: agent/model imports ide",
				"agent/session.go:4:2: agent imports internal/rpc",
				"ide/ledger/ledger_test.go:4:2: ide imports tools",
				"internal/rpc/conn.go:4:2: internal/rpc imports ide",
				"internal/settings/load.go:4:2: internal/settings imports internal/trust",
				"lsp/server.go:4:2: lsp imports cmd/emendo",
				"tools/replace.go:4:2: tools imports agent/model",
				"tools/shell/policy_test.go:4:2: tools imports agent",
			},
		},
		{
			name: "a provider, a double and a folder in no area", rule: importsPointRight,
			files: map[string]string{
				"acp/toolcall.go":        imports("acp", module+"/tools", module+"/tools/shell"),
				"agent/session.go":       imports("agent", module+"/agent/model/gemini"),
				"lsp/server.go":          imports("lsp", module+"/agent/model/modeltest"),
				"lsp/worldtest/world.go": imports("worldtest", module+"/tools/shell"),
				"web/serve.go":           imports("web", module+"/agent"),
			},
			want: []string{
				"acp/toolcall.go:5:2: acp depends on how a tool works",
				"agent/session.go:4:2: agent imports one provider",
				"lsp/server.go:4:2: the program imports a test double",
				"web/serve.go: its folder is in no area",
			},
		},
		{
			name: "strangers at the top level", rule: topLevelIsTidy,
			files: map[string]string{
				".gitignore": "/emendo\n*.test\n", ".github/x.yml": "", "emendo": "", "ide.test": "",
				"README.md": "", "notes.txt": "", "scripts/x.sh": "", "docs/protocol.md": "",
			},
			want: []string{"notes.txt: does not belong", "scripts: does not belong"},
		},
		{
			name: "vague names", rule: packagesAreNamed,
			files: map[string]string{"ide/util/text.go": "package util\n", "ide/util/more.go": "package util\n", "ide/utility/x.go": "package utility\n"},
			want:  []string{`ide/util: "util" does not describe`},
		},
		{
			name: "packages without a comment", rule: packagesAreDocumented,
			files: map[string]string{
				"ide/a/a.go":            "package a\n",
				"ide/a/a_test.go":       "// Package a is tested here.\npackage a\n",
				"ide/b/b.go":            "// B is something else.\npackage b\n",
				"ide/c/doc.go":          "// Package c owns things.\npackage c\n",
				"ide/c/c.go":            "package c\n",
				"cmd/emendo/main.go":    "// Command emendo is the program.\npackage main\n",
				"cmd/other/main.go":     "package main\n",
				"cmd/emendo/x_test.go":  "package main\n",
				"ide/d/only_test.go":    "package d\n",
				"ide/testdata/p/doc.go": "package p\n",
			},
			want: []string{
				"ide/b/b.go: the package comment does not begin",
				"cmd/other: no package comment",
				"ide/a: no package comment",
			},
		},
		{
			name: "long files", rule: filesAreShort,
			files: map[string]string{
				"ide/long.go":         "package ide\n" + strings.Repeat("\n", 500),
				"ide/full.go":         "package ide\n" + strings.Repeat("\n", 499),
				"ide/made.go":         "// Code generated by x. DO NOT EDIT.\n\npackage ide\n" + strings.Repeat("\n", 500),
				"ide/lying.go":        "package ide\n\n// Code generated by x. DO NOT EDIT.\n" + strings.Repeat("\n", 500),
				"editors/x/init.lua":  strings.Repeat("\n", 501),
				"editors/x/prompt.md": strings.Repeat("\n", 501),
			},
			want: []string{
				"editors/x/init.lua: 501 lines, more than 500",
				"ide/long.go: 501 lines",
				"ide/lying.go: 503 lines",
			},
		},
		{
			name: "large packages", rule: packagesAreSmall([]string{"ide/known", "ide/past"}),
			files: map[string]string{
				"ide/known/a.go":     "package known\n" + strings.Repeat("\n", 6000),
				"ide/past/a.go":      "package past\n",
				"ide/long/a.go":      "package long\n" + strings.Repeat("\n", 3000),
				"ide/long/b.go":      "package long\n" + strings.Repeat("\n", 3000),
				"ide/long/b_test.go": "package long\n" + strings.Repeat("\n", 3000),
				"ide/full/a.go":      "package full\n" + strings.Repeat("\n", 5999),
				"ide/full/made.go":   "// Code generated by x. DO NOT EDIT.\n\npackage full\n",
				"ide/xtest/a.go":     "package xtest\n" + strings.Repeat("\n", 6000),
			},
			want: []string{"ide/long: 6002 lines", "ide/past: within the limits"},
		},
		{
			name: "types that share their methods with helpers", rule: typesAreSmall([]string{"ide.past"}),
			files: map[string]string{
				"ide/a.go": "package ide\n\ntype Whole struct{ part part }\n\ntype part struct{ whole *Whole }\n" + methods("Whole", 40) + methods("part", 21),
				"ide/b.go": "package ide\n\ntype base struct{}\n\ntype past struct{}\n" + methods("base", 31),
				"ide/c.go": "package ide\n\ntype more struct{ *base }\n\ntype user struct{ w *Whole }\n" + methods("more", 30) + methods("user", 40),
				"lsp/d.go": "package lsp\n\nimport \"" + module + "/ide\"\n\ntype Part struct{ *ide.Whole }\n" + methods("Part", 1),
			},
			want: []string{"ide.Whole: 62 methods with those of ide.part, lsp.Part, more", "ide.base: 61 methods with those of ide.more, more", "ide.part: 61 methods with those of ide.Whole, more", "ide.past: within the limit"},
		},
		{
			name: "calls through fields", rule: callsAreDirect(3),
			files: map[string]string{
				"ide/a.go":      "package ide\n\ntype a struct {\n\tf, g func()\n\th  hook\n\tn  int\n}\n\ntype hook func()\n",
				"ide/b.go":      "package ide\n\ntype opener interface{ Open(string) }\n\ntype closer interface{ Close() }\n\ntype x struct{}\n\nfunc (x) Open(string) {}\n\nfunc (x) Close() {}\n\ntype y struct{}\n\nfunc (y) Close() {}\n",
				"ide/a_test.go": "package ide\n\ntype t struct{ f func() }\n",
				"cmd/x/a.go":    "package x\n\ntype t struct{ f func() }\n",
			},
			want: []string{"4 struct fields are functions"},
		},
		{
			name: "packages without tests", rule: packagesAreTested([]string{"ide/known", "ide/past"}),
			files: map[string]string{
				"ide/a.go":           "package ide\n" + strings.Repeat("\n", 300),
				"ide/known/a.go":     "package known\n" + strings.Repeat("\n", 300),
				"ide/past/a.go":      "package past\n" + strings.Repeat("\n", 300),
				"ide/past/a_test.go": "package past\n",
				"ide/short/a.go":     "package short\n" + strings.Repeat("\n", 299),
				"ide/xtest/a.go":     "package xtest\n" + strings.Repeat("\n", 300),
			},
			want: []string{"ide: 301 lines without a test", "ide/past: within the limit"},
		},
		{
			name: "recipes that name what is not there", rule: recipesNameFiles,
			files: map[string]string{
				"CONTRIBUTING.md":    "See `gone/before.go`.\n\n## Recipes\n\n**A thing**\n\n1. `ide/NAME.go`: it, and `NAME_test.go`.\n2. `ide/gone.go`.\n\n**Another**\n\n1. `ide/`, `lsp/`, `all_*.go`.\n",
				"ide/thing.go":       "package ide\n",
				"ide/thing_test.go":  "package ide\n",
				"ide/all_of_it.go":   "package ide\n",
				"ide/deep/inside.go": "package deep\n",
			},
			want: []string{"CONTRIBUTING.md: the recipe \"A thing\" names ide/gone.go", "CONTRIBUTING.md: the recipe \"Another\" names lsp"},
		},
		{
			name: "examples that touch too much", rule: func(t tree) []string {
				changes, err := readChanges(fstest.MapFS{"a.patch": {Data: []byte("Recipe: A thing\nGo product files: 1\nTest: ./ide\n\ndiff --git a/ide/x.go b/ide/x.go\n--- a/ide/x.go\n+++ b/ide/x.go\n--- a/ide/x_test.go\n+++ b/ide/x_test.go\n--- a/lsp/y.go\n+++ b/lsp/y.go\n")}, "b.patch": {Data: []byte("Recipe: Gone\n")}})
				if err != nil {
					return []string{err.Error()}
				}
				return t.changesAreSmall(changes)
			},
			files: map[string]string{"CONTRIBUTING.md": "## Recipe\n\n## Recipes\n\n**A thing**\n\n1. `ide/NAME.go`.\n"},
			want:  []string{"a.patch: changes lsp/y.go, which the recipe", "a.patch: changes 2 Go files", "b.patch: there is no recipe \"Gone\""},
		},
		{
			name: "strange English", rule: englishIsPlain,
			files: map[string]string{
				"ide/a.go":  "// f says whether it is.\npackage ide\n",
				"docs/a.md": "A page.\n\nIt is what is meant.\n",
				"ide/x.lua": "-- says whether\n",
			},
			want: []string{"docs/a.md:3: \"is what is\"", "ide/a.go:1: \"says whether\""},
		},
		{
			name: "prose that is not wrapped", rule: proseIsWrapped,
			files: map[string]string{
				"docs/a.md":         strings.Repeat("words ", 20) + "\n| " + strings.Repeat("words ", 20) + "|\n```\n" + strings.Repeat("words ", 20) + "\n```\n",
				"README.md":         "[a](" + strings.Repeat("x", 100) + ") b\n" + strings.Repeat("x", 101) + "\n",
				"tools/write.md":    strings.Repeat("words ", 20) + "\n",
				"ide/sub/README.md": strings.Repeat("words ", 20) + "\n",
			},
			want: []string{"docs/a.md:1: 120 columns", "ide/sub/README.md:1: 120 columns"},
		},
		{
			name: "the process outside cmd", rule: onlyCmdIsTheProcess,
			files: map[string]string{
				"cmd/emendo/main.go": "package main\n\nimport \"os\"\n\nvar a = os.Args\n",
				"lsp/serve.go":       "package lsp\n\nimport \"os\"\n\nvar a, b = os.Stdin, os.Open\n",
				"ide/x.go":           "package ide\n\nimport \"os\"\n\nfunc f() { os.Exit(1) }\n",
				"ide/x_test.go":      "package ide\n\nimport \"os\"\n\nfunc g() { os.Exit(1) }\n",
				"ide/other.go":       "package ide\n\nvar os struct{ Args int }\n\nvar x = os.Args\n",
			},
			want: []string{"ide/x.go:5:12: os.Exit outside cmd", "lsp/serve.go:5:12: os.Stdin outside cmd"},
		},
		{
			name: "tests that sleep", rule: testsWaitForEvents,
			files: map[string]string{
				"ide/x.go":      "package ide\n\nimport \"time\"\n\nfunc f() { time.Sleep(1) }\n",
				"ide/x_test.go": "package ide\n\nimport \"time\"\n\nfunc g() {\n\ttime.Sleep(1)\n\tsynctest.Test(t, func() { time.Sleep(1) })\n}\n",
			},
			want: []string{"ide/x_test.go:6:2: time.Sleep in a test"},
		},
		{
			name: "tests that are skipped", rule: testsAreNotSkipped,
			files: map[string]string{
				"ide/x_test.go": "package ide\n\nfunc f(t, d T) {\n\tt.Skip(\"later\")\n\td.Skip()\n\tt.SkipNow()\n}\n",
				"ide/y_test.go": "package ide\n\nfunc g(t T) {\n\tif testing.Short() {\n\t\tt.Skip(\"takes long\")\n\t}\n\tif testing.Short() || on(\"windows\") {\n\t\tt.Skip(\"no\")\n\t}\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n}\n",
			},
			want: []string{
				"ide/x_test.go:4:2: nobody runs a skipped test", "ide/x_test.go:6:2: nobody runs a skipped test",
				"ide/y_test.go:8:3: nobody runs a skipped test", "ide/y_test.go:11:3: nobody runs a skipped test",
			},
		},
		{
			name: "methods without a heading", rule: methodsAreDocumented,
			files: map[string]string{
				"docs/protocol.md": "# Wire\n\n### emendo/session/new\n\n### `emendo/status`\n\nemendo/session/load\n",
				"lsp/methods.go":   "package lsp\n\nconst (\n\ta = \"emendo/session/new\"\n\tb = \"emendo/session/load\"\n\tc = \"emendo/status\"\n\td = \"emendo/1.0\"\n)\n",
				"lsp/some_test.go": "package lsp\n\nconst x = \"emendo/other\"\n",
			},
			want: []string{"lsp/methods.go:5:6: emendo/session/load has no heading"},
		},
		{
			name: "links to nothing", rule: linksLead,
			files: map[string]string{
				"README.md":        "[a](docs/protocol.md) [b](docs/none.md) [c](https://example.com/x) [d](LICENSE) [e](docs)\n",
				"LICENSE":          "",
				"docs/protocol.md": "# The wire's `names`\n\n[up](../README.md) [there](#the-wires-names) [not](#elsewhere)\n",
				"ide/prompt.md":    "[x](y)\n",
			},
			want: []string{
				"README.md: the link to docs/none.md leads nowhere",
				"docs/protocol.md: docs/protocol.md has no heading for #elsewhere",
			},
		},
		{
			name: "pages that nobody finds", rule: pagesAreLinked,
			files: map[string]string{
				"README.md":             "[a](docs/a.md)\n",
				"docs/a.md":             "[b](more/b.md) [up](../README.md)\n",
				"docs/more/b.md":        "[c](c.md#x)\n",
				"docs/more/c.md":        "# x\n",
				"docs/more/lost.md":     "[again](b.md)\n",
				"tools/read_file.md":    "words\n",
				"docs/more/picture.txt": "",
			},
			want: []string{"docs/more/lost.md: no link leads here"},
		},
		{
			name: "claims that no test verifies", rule: namedTestsExist,
			files: map[string]string{
				"docs/a.md":     "It holds (`TestThere`, `BenchmarkGone`), and `Testing` is a word.\n",
				"ide/x_test.go": "package ide\n\nfunc TestThere() {}\n",
				"ide/x.go":      "package ide\n\nfunc BenchmarkGone() {}\n",
			},
			want: []string{"docs/a.md: there is no BenchmarkGone"},
		},
		{
			name: "names that are gone from the architecture", rule: architectureNamesExist,
			files: map[string]string{
				"ARCHITECTURE.md": "`ide.Text.Len`, `Text.Gone`, `ide.Lost`, `ide.Parse`, `text.Len`, `initialize` and `Editor.Save`.\n",
				"ide/x.go":        "package ide\n\ntype Text struct{}\n\nfunc (Text) Len() int { return 0 }\n\nfunc Parse() {}\n\ntype Editor interface{ Save() }\n",
			},
			want: []string{"ARCHITECTURE.md: there is no Text.Gone: name what is there now", "ARCHITECTURE.md: there is no ide.Lost: name what is there now", "ARCHITECTURE.md: there is no text.Len: name what is there now"},
		},
		{
			name: "dependencies that nobody decided on", rule: dependenciesAreDecided,
			files: map[string]string{
				"go.mod":              "module x\n\nrequire a.org/one v1.0.0\n\nrequire (\n\ta.org/two/v2 v2.0.0\n\ta.org/unused v1.0.0 // indirect\n)\n",
				"docs/decisions/1.md": "We use a.org/one.\n",
				"ide/x.go":            imports("ide", "os", "a.org/one/sub", "a.org/two/v2"),
			},
			want: []string{"ide/x.go:6:2: no page in docs/decisions/ names a.org/two/v2"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for name, text := range tt.files {
				fsys[name] = &fstest.MapFile{Data: []byte(text)}
			}
			got := tt.rule(plant(t, fsys))
			for i := range got {
				if i < len(tt.want) && strings.HasPrefix(got[i], tt.want[i]) {
					got[i] = tt.want[i]
				}
			}
			if diff := cmp.Diff(got, tt.want); diff != "" {
				t.Errorf("problems differ (-got +want):\n%s", diff)
			}
		})
	}
}
