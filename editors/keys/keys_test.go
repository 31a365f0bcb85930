package keys

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

var update = flag.Bool("update", false, "write docs/keys.md")

// page is the table, whose text is in page.md.
const page = "../../docs/keys.md"

// An act is something that users do, by the names of its command in each editor; empty
// where there is none. A name in backquotes is a key of the editor's own, which must be
// on the editor's page.
type act struct {
	what    string
	command string // of the language server
	vscode  string
	neovim  string // an option of keys, or a subcommand of :Emendo
	helix   string
	emacs   string
}

var acts = []act{
	{"code actions: Edit, Explain, Fix, Write tests, Document, Review", "", "", "", "`Space a`", "eglot-code-actions"},
	{"ask a question", "emendo.ask", "emendo.focusPrompt", "ask", "", "emendo-ask"},
	{"edit the selection by an instruction", "emendo.edit", "emendo.edit", "change", "", "emendo-edit"},
	{"explain the changes that are not committed", "emendo.explainChanges", "emendo.explainChanges", "", "", ""},
	{"write a commit message for them", "emendo.commitMessage", "emendo.commitMessage", "commit", "", ""},
	{"open the conversation", "emendo.chat", "emendo.focusPrompt", "toggle", "", "emendo-chat"},
	{"send the question of a [chat document](chat-documents.md)", "emendo.send", "", "", "", "emendo-send"},
	{"begin a new conversation", "emendo.newSession", "emendo.newSession", "new", "", "emendo-new-session"},
	{"go to the next proposed change", "emendo.nextHunk", "emendo.nextHunk", "next", "", "emendo-next"},
	{"go to the previous one", "emendo.prevHunk", "emendo.previousHunk", "prev", "", "emendo-previous"},
	{"accept a change", "emendo.accept", "emendo.acceptHunk", "accept", "`Space a`", "emendo-accept"},
	{"reject a change", "emendo.reject", "emendo.rejectHunk", "reject", "`Space a`", "emendo-reject"},
	{"accept all", "emendo.acceptAll", "emendo.acceptAll", "accept_all", "", "emendo-accept-all"},
	{"reject all", "emendo.rejectAll", "emendo.rejectAll", "reject_all", "", "emendo-reject-all"},
	{"keep a change that was made without asking", "emendo.keep", "", "", "`Space a`", ""},
	{"undo it", "emendo.undo", "", "", "`Space a`", ""},
	{"keep all", "emendo.keepAll", "", "", "", ""},
	{"undo all", "emendo.undoAll", "", "", "", ""},
	{"list what is not reviewed", "emendo.unreviewed", "", "", "", ""},
	{"comment on lines, or on a change", "emendo.comment", "emendo.comment", "comment", "`Space a`", "eglot-code-actions"},
	{"send the comments", "emendo.sendComments", "emendo.sendComments", "send_comments", "", ""},
	{"have changes reviewed that are not committed", "emendo.reviewChanges", "emendo.reviewChanges", "review_changes", "", ""},
	{"fix, explain or dismiss what a review has found", "emendo.finding", "", "", "`Space a`", "eglot-code-actions"},
	{"go to a question for permission", "emendo.permission", "emendo.focusQuestion", "permission", "", "emendo-permission"},
	{"answer it", "", "", "", "`Space a`", "emendo-answer"},
	{"cancel the turn", "emendo.cancel", "emendo.stop", "cancel", "", "emendo-cancel"},
	{"choose what needs approval", "emendo.setMode", "emendo.setMode", "mode", "", ""},
	{"choose the model", "emendo.setModel", "emendo.setModel", "model", "", ""},
	{"compact the conversation", "emendo.compact", "", "", "", ""},
	{"go back to an earlier turn", "emendo.rewind", "", "rewind", "", ""},
	{"put back what was moved aside", "emendo.putBack", "", "", "", ""},
	{"trust the folder", "emendo.trust", "emendo.trust", "trust", "", "emendo-trust"},
	{"show the log", "emendo.showLog", "emendo.showLog", "log", "", ""},
}

// sources has the keys of each editor, by the name of the command.
type sources struct {
	vscode, titles, neovim, emacs, vim, helix map[string]string

	subcommands []string // of :Emendo
	helixPage   string
}

func TestPage(t *testing.T) {
	s := readSources(t)
	text, err := os.ReadFile("page.md")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Replace(string(text), "TABLE\n", s.table(t), 1)
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil || got != string(want) {
		t.Errorf("%s is out of date (%v): run go test ./editors/keys -update", page, err)
	}
}

// Every command of the server is in the table, except those that only code actions run.
func TestCommandsAreListed(t *testing.T) {
	protocol := readFile(t, "../../docs/protocol.md")
	_, section, _ := strings.Cut(protocol, "\n## A client without a plugin\n")
	section, _, _ = strings.Cut(section, "\n## ")
	listed := map[string]bool{}
	for _, a := range acts {
		listed[a.command] = true
	}
	for _, name := range []string{"explain", "fix", "test", "document", "review"} {
		listed["emendo."+name] = true // by code actions
	}
	var names []string
	for line := range strings.Lines(section) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		for _, m := range regexp.MustCompile("`(emendo\\.[a-zA-Z]+)`").FindAllStringSubmatch(cell, -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < 15 {
		t.Fatalf("docs/protocol.md lists the commands %q", names)
	}
	for _, name := range names {
		if !listed[name] {
			t.Errorf("%s is not in the table of keys", name)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readSources(t *testing.T) sources {
	t.Helper()
	s := sources{vscode: map[string]string{}, titles: map[string]string{}, helixPage: readFile(t, "../../docs/helix.md")}
	var manifest struct {
		Contributes struct {
			Keybindings []struct{ Command, Key string }
			Commands    []struct{ Command, Title string }
		}
	}
	if err := json.Unmarshal([]byte(readFile(t, "../vscode/package.json")), &manifest); err != nil {
		t.Fatal(err)
	}
	var words map[string]string
	if err := json.Unmarshal([]byte(readFile(t, "../vscode/package.nls.json")), &words); err != nil {
		t.Fatal(err)
	}
	for _, k := range manifest.Contributes.Keybindings {
		s.vscode[k.Command] = titled(k.Key)
	}
	for _, c := range manifest.Contributes.Commands {
		title := c.Title
		if w, ok := words[strings.Trim(title, "%")]; ok {
			title = w
		}
		s.titles[c.Command] = "Emendo: " + title
	}
	_, keys, _ := strings.Cut(readFile(t, "../neovim/lua/emendo/config.lua"), "\n  keys = {")
	keys, _, _ = strings.Cut(keys, "\n  },")
	s.neovim = matches(`(?m)^    (\w+) = '([^']+)'`, keys) // those of the panel are deeper
	help := readFile(t, "../neovim/doc/emendo.txt")
	for name := range matches(`:Emendo (\w+)()`, help) {
		s.subcommands = append(s.subcommands, name)
	}
	_, bound, _ := strings.Cut(readFile(t, "../emacs/emendo.el"), "(defvar-keymap emendo-map")
	s.emacs = map[string]string{}
	for key, command := range matches(`"(\w)" #'([\w-]+)`, bound) {
		s.emacs[command] = "C-c e " + key
	}
	s.helix = helixKeys(t, s.helixPage)
	vim := readFile(t, "../../docs/vim.md")
	s.vim = map[string]string{}
	lsp := map[string]string{}
	for key, command := range matches(`nnoremap (\S+) :CocCommand (\S+)<CR>`, vim) {
		s.vim[command] = key
	}
	for key, command := range matches(`nnoremap (\S+) :call Emendo\('(\w+)'\)<CR>`, vim) {
		lsp["emendo."+command] = key
	}
	if !maps.Equal(s.vim, lsp) {
		t.Errorf("the keys of docs/vim.md differ: %v with coc.nvim, %v with vim-lsp", s.vim, lsp)
	}
	return s
}

// matches returns what the groups of a pattern match: the first is the key.
func matches(pattern, text string) map[string]string {
	found := map[string]string{}
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found[m[1]] = m[2]
	}
	return found
}

// helixKeys returns the keys of the configuration on Helix's page.
func helixKeys(t *testing.T, page string) map[string]string {
	t.Helper()
	found := map[string]string{}
	var walk func(v any, keys []string)
	walk = func(v any, keys []string) {
		switch v := v.(type) {
		case map[string]any:
			for key, x := range v {
				if key == "space" {
					key = "Space"
				}
				walk(x, append(slices.Clone(keys), key))
			}
		case string:
			if command, ok := strings.CutPrefix(v, ":lsp-workspace-command "); ok {
				found[command] = strings.Join(keys, " ")
			}
		}
	}
	for _, block := range regexp.MustCompile("(?s)\n```toml\n(.*?)```\n").FindAllStringSubmatch(page, -1) {
		var config struct{ Keys map[string]any }
		if err := toml.Unmarshal([]byte(block[1]), &config); err != nil {
			t.Fatal(err)
		}
		walk(config.Keys["normal"], nil)
	}
	return found
}

// titled returns a key as VS Code shows it.
func titled(key string) string {
	parts := strings.Split(key, "+")
	for i, p := range parts {
		parts[i] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "+")
}

// table returns the rows of the page.
func (s sources) table(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| to | command | VS Code | Neovim | Helix | Emacs | Vim |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, a := range acts {
		cells := []string{a.what, code(a.command), s.inVSCode(t, a), s.inNeovim(t, a), s.inHelix(t, a), s.inEmacs(t, a), code(s.vim[a.command])}
		fmt.Fprintf(&b, "| %s |\n", strings.ReplaceAll(strings.Join(cells, " | "), "|  |", "| |"))
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "|  |", "| |"), "|  |", "| |")
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func (s sources) inVSCode(t *testing.T, a act) string {
	t.Helper()
	switch {
	case a.vscode == "":
		return ""
	case s.titles[a.vscode] == "":
		t.Errorf("the extension has no command %s", a.vscode)
	case s.vscode[a.vscode] == "":
		return code(s.titles[a.vscode])
	}
	return code(s.vscode[a.vscode])
}

func (s sources) inNeovim(t *testing.T, a act) string {
	t.Helper()
	switch {
	case a.neovim == "":
		return ""
	case s.neovim[a.neovim] != "":
		return code(s.neovim[a.neovim])
	case !slices.Contains(s.subcommands, a.neovim):
		t.Errorf("the plugin has no key and no subcommand %s", a.neovim)
	}
	return code(":Emendo " + a.neovim)
}

func (s sources) inHelix(t *testing.T, a act) string {
	t.Helper()
	if a.helix != "" {
		if !strings.Contains(s.helixPage, a.helix) {
			t.Errorf("docs/helix.md does not name %s", a.helix)
		}
		return a.helix
	}
	return code(s.helix[a.command])
}

func (s sources) inEmacs(t *testing.T, a act) string {
	t.Helper()
	if a.emacs != "" && s.emacs[a.emacs] == "" {
		return code("M-x " + a.emacs)
	}
	return code(s.emacs[a.emacs])
}
