//go:build editors

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/editors/internal/plaintest"
)

// geminiSettings are the settings of a user of Gemini CLI who uses a key and has
// turned on the connection to editors.
const geminiSettings = `{
	"ide": {"enabled": true, "hasSeenNudge": true},
	"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
	"general": {"disableAutoUpdate": true, "disableUpdateNag": true},
	"privacy": {"usageStatisticsEnabled": false},
	"ui": {"hideTips": true, "hideBanner": true}
}`

// startGemini starts Gemini CLI in a terminal, in the project.
func (w *world) startGemini() *plaintest.Terminal {
	w.t.Helper()
	script, tmux := os.Getenv("EMENDO_GEMINI_CLI"), os.Getenv("EMENDO_TMUX")
	if script == "" || tmux == "" {
		w.t.Fatal("EMENDO_GEMINI_CLI and EMENDO_TMUX do not name Gemini CLI and tmux: run make test-editors, which finds or installs them")
	}
	w.write("../user/.gemini/settings.json", geminiSettings)
	env := append([]string{}, w.env...)
	env = append(env, "HOME="+filepath.Join(w.dir, "..", "user"), "GEMINI_CLI_NO_RELAUNCH=true", "REMOTE_CONTAINERS=true", "TERM=xterm-256color")
	cli := plaintest.Start(w.t, tmux, w.dir, env, "node", script, "--model", "gemini-3.5-flash")
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("Gemini CLI's screen:\n%s", cli.Screen())
		}
	})
	return cli
}

// startWithProposal starts Neovim on fee.go, and Gemini CLI, which proposes two changes
// to it.
func (w *world) startWithProposal(keys string) (*editor, *plaintest.Terminal) {
	w.t.Helper()
	w.set("TMPDIR=" + filepath.Join(w.dir, "..", "tmp"))
	w.write("../tmp/.keep", "")
	w.configure(`{"companion": {"enabled": true}}`)
	e := w.start("--cmd", `autocmd VimEnter * lua require("emendo").setup({ start = true })`, "fee.go")
	e.waitUntil("the server runs", `require("emendo.server.client").server.ready`)
	e.keys(keys)
	cli := w.startGemini()
	cli.WaitFor("1 open file")
	cli.Type("Improve the tariff.")
	cli.WaitFor("Improve the tariff.")
	w.submit(cli)
	e.waitForPending(2)
	return e, cli
}

// submit presses Enter until the prompt is sent. Gemini CLI ignores an Enter
// right after other keys, which it takes for a paste, and while it starts.
func (w *world) submit(cli *plaintest.Terminal) {
	w.t.Helper()
	sent := func() bool { return len(w.model.Requests()) > 0 }
	cli.WaitUntil("Gemini CLI sends the prompt", func() bool {
		cli.Press("Enter")
		return cli.WaitBriefly(sent)
	})
}

// improved returns a call of Gemini CLI that changes the tariff and its rounding.
func improved(t *testing.T) geminitest.Reply {
	t.Helper()
	text := strings.NewReplacer("= 200", "= 250", "minutes / 60", "(minutes + 59) / 60").Replace(parking["fee.go"])
	args, err := json.Marshal(map[string]string{"file_path": "fee.go", "content": text})
	if err != nil {
		t.Fatal(err)
	}
	return geminitest.Do(geminitest.Call("write_file", string(args)))
}

// Gemini CLI in a terminal sees the unsaved selection, and its edit is reviewed
// hunk by hunk in Neovim, where the unsaved text stays.
func TestGeminiCLIInATerminal(t *testing.T) {
	w := newWorld(t, parking, improved(t), geminitest.Say("It is done."))
	e, cli := w.startWithProposal("ggOUnsaved text.<Esc>V")
	if sent := w.lastRequest(); !strings.Contains(sent, "Unsaved text.") {
		t.Errorf("last request: %s", sent)
	}
	e.keys("<C-\\><C-n>gg]e\\ey")
	e.waitForPending(1)
	e.keys("gg]e\\en")
	cli.WaitFor("It is done.")
	want := "Unsaved text.\n" + strings.Replace(parking["fee.go"], "= 200", "= 250", 1)
	if got := w.read("fee.go"); got != want {
		t.Errorf("the file has\n%s\nwant\n%s", got, want)
	}
	e.waitForBuffer("fee.go", want)
}

// The user may answer in the terminal too: what was rejected in Neovim stays out.
func TestGeminiCLIIsAnsweredInItsTerminal(t *testing.T) {
	w := newWorld(t, parking, improved(t), geminitest.Say("It is done."))
	e, cli := w.startWithProposal("gg")
	e.keys("gg]e\\en")
	e.waitForPending(1)
	cli.WaitFor("Allow once")
	cli.Press("Enter")
	cli.WaitFor("It is done.")
	e.waitForPending(0)
	want := strings.Replace(parking["fee.go"], "minutes / 60", "(minutes + 59) / 60", 1)
	if got := w.read("fee.go"); got != want {
		t.Errorf("the file has\n%s\nwant\n%s", got, want)
	}
}
