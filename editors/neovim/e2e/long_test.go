//go:build editors

package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// A conversation of 10,000 items, as another program has written it. A turn has a prompt, 7
// commands and an answer.
const longTurns, itemsOfTurn = 1000, 10

var longOutput = flag.Int("output", 0, "at least so many bytes each command of the long conversation writes")

// mostOfALong is how much memory (PSS, in MiB) Neovim may take with the long conversation, whatever
// its commands write. When all of that came to Neovim, it took 335 with 7,400 bytes each.
const mostOfALong = 110

// importLong imports the long conversation. The word "needle" stands in the output of a command
// of its first turn alone.
func (w *world) importLong() {
	w.t.Helper()
	type obj = map[string]any
	var messages []obj
	at := time.Date(2025, 10, 1, 8, 0, 0, 0, time.UTC)
	add := func(kind string, more obj) {
		at = at.Add(time.Second)
		more["id"], more["timestamp"], more["type"] = fmt.Sprint(len(messages)), at, kind
		messages = append(messages, more)
	}
	for n := range longTurns {
		add("user", obj{"content": fmt.Sprintf("Question %d?", n)})
		var calls []obj
		for i := range 7 {
			output := fmt.Sprintf("output %d of %d", i, n)
			if n == 0 && i == 3 {
				output = "some words\na needle of the first turn\nmore words"
			}
			for line := 0; len(output) < *longOutput; line++ {
				output += fmt.Sprintf("\nline %d of the output %d of %d", line, i, n)
			}
			calls = append(calls, obj{"id": fmt.Sprintf("c%d-%d", n, i), "name": "run_shell_command", "args": obj{"command": fmt.Sprintf("make step%d", i)}, "status": "success", "resultDisplay": output, "timestamp": at})
		}
		add("gemini", obj{"content": "", "toolCalls": calls})
		add("gemini", obj{"content": fmt.Sprintf("Answer %d ends here.", n)})
	}
	raw, err := json.Marshal(obj{"sessionId": "6f0c2b1e-5a44-4d0e-9d53-0a3d6d1f7a11", "startTime": at, "lastUpdated": at, "messages": messages})
	if err != nil {
		w.t.Fatal(err)
	}
	w.write("../long.json", string(raw))
	w.emendo("sessions", "import", w.path("../long.json"))
}

// memory returns the memory of Neovim (PSS) in MiB.
func (e *editor) memory() float64 {
	e.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", value[int](e, "return vim.fn.getpid()")))
	e.must(err)
	for line := range strings.Lines(string(text)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "Pss: %f kB", &kib); n == 1 {
			return kib / 1024
		}
	}
	e.fail("the kernel does not say what Neovim takes:\n%s", text)
	return 0
}

// In a long conversation a word in a folded output of the first turn is found and shown, all of
// it is copied, and its first prompt is edited and sent again.
func TestALongConversationHasAllOfIt(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("Once more."))
	w.importLong()
	e := w.start("fee.go")
	e.keys(":Emendo resume<CR>")
	e.waitFor(fmt.Sprintf("Answer %d ends here.", longTurns-1))
	// Beside them may be what the plugin says by itself: the folder is not trusted.
	e.waitUntil("all has come", `require("emendo").state().view.items >= ...`, longTurns*itemsOfTurn)
	if takes := e.memory(); takes > mostOfALong {
		t.Errorf("Neovim takes %.0f MiB, more than %d", takes, mostOfALong)
	}
	e.inPanel()
	if strings.Contains(e.panelText(), "needle") {
		t.Error("the output is not folded")
	}
	e.keys("g/needle<CR>")
	e.line("a needle of the first turn")
	e.waitFor("a needle of the first turn")

	e.keys("gm")
	e.choose("Copy the whole conversation")
	e.waitUntil("it is copied", `vim.fn.getreg('"'):find("Question 0?", 1, true)`)
	copied := value[string](e, `return vim.fn.getreg('"')`)
	for n := range longTurns {
		if !strings.Contains(copied, fmt.Sprintf("Answer %d ends here.", n)) {
			t.Fatalf("the copy lacks the answer of turn %d", n)
		}
	}

	e.keys("gg")
	e.line("You")
	e.keys("gm")
	e.choose("Edit and send again")
	e.waitUntil("its text is there", `vim.api.nvim_get_current_line() == "Question 0?"`)
	e.keys("ccWhat else?<Esc>:w<CR>")
	e.waitForAnswer("Once more.")
	if sent := w.lastRequest(); !strings.Contains(sent, "What else?") || strings.Contains(sent, "Question 1?") {
		t.Errorf("the last request is %.300s", sent)
	}
	if shown := e.panelText(); strings.Contains(shown, "Answer") {
		t.Errorf("what followed the prompt is still there: %.300s", shown)
	}
	w.checkAllDeclared()
}
