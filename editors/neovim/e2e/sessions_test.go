//go:build editors

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
)

// Ten sessions stream concurrently. Each can be opened from the list, during its turn
// and afterwards, and shows only its own conversation.
func TestTenSessionsAtOnce(t *testing.T) {
	const sessions = 10
	w := newWorld(t, parking)
	e := w.start("fee.go")
	var more []chan struct{}
	for i := range sessions {
		answer := geminitest.Say(fmt.Sprintf("Answer %d begins", i), fmt.Sprintf(" and %d ends.", i))
		more = append(more, make(chan struct{}))
		answer.Events[1].Hold = more[i]
		w.model.Add(answer)
		e.lua(`local question = ...; require("emendo").new(function() require("emendo").ask({ prompt = question }) end)`, fmt.Sprintf("Question %d", i))
		e.waitFor(fmt.Sprintf("Answer %d begins", i))
	}
	running := func() int {
		return value[int](e, `return #vim.tbl_filter(function(s) return s.running end, vim.tbl_values(require("emendo.session").all))`)
	}
	if n := running(); n != sessions {
		t.Errorf("%d sessions run", n)
	}

	e.keys(":Emendo sessions<CR>")
	e.waitFor(fmt.Sprintf("%d: Question 0  (Working, ", sessions))
	e.choose("Question 3")
	e.waitFor("Answer 3 begins")
	close(more[3])
	e.waitFor("Answer 3 begins and 3 ends.")
	for i := range sessions {
		if i != 3 {
			close(more[i])
		}
	}
	e.waitUntil("all are done", `not vim.iter(require("emendo.session").all):any(function(_, s) return s.running end)`)

	for _, i := range []int{9, 0} {
		e.keys(":Emendo sessions<CR>")
		e.choose(fmt.Sprintf("Question %d  (1 turn", i))
		e.waitFor(fmt.Sprintf("Answer %d begins and %d ends.", i, i))
		panel := e.buffer("emendo://panel")
		for other := range sessions {
			want := 0
			if other == i {
				want = 1
			}
			if n := strings.Count(panel, fmt.Sprintf("Answer %d begins", other)); n != want {
				t.Errorf("in session %d answer %d occurs %d times:\n%s", i, other, n, panel)
			}
		}
	}
	w.checkAllDeclared()
}

// A prompt sent while the first session is being created goes to that session.
func TestTwoQuestionsAtOnceMakeOneSession(t *testing.T) {
	w := newWorld(t, parking, geminitest.Say("This is one."), geminitest.Say("This is two."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "First." }); require("emendo").ask({ prompt = "Second." })`)
	e.waitFor("This is two.")
	panel := e.buffer("emendo://panel")
	for _, text := range []string{"First.", "This is one.", "Second.", "This is two."} {
		_, panel, _ = strings.Cut(panel, text)
	}
	if panel == "" || len(of(w.wire(), "emendo/session/new")) != 1 {
		t.Errorf("not in one session, in order:\n%s", e.buffer("emendo://panel"))
	}
	w.checkAllDeclared()
}

// A question of a session that is not shown names its session, which is shown before it
// is answered.
func TestAQuestionOfAnotherSession(t *testing.T) {
	asks := geminitest.Do(geminitest.Call("ask_user", `{"questions":[{"header":"Tests","question":"With tests?","type":"yesno"}]}`))
	more := make(chan struct{})
	asks.Hold = more
	w := newWorld(t, parking, asks, geminitest.Say("So be it."))
	e := w.start("fee.go")
	e.lua(`require("emendo").ask({ prompt = "First." })`)
	e.waitUntil("it has its title", `(require("emendo").state().session or {}).title == "First."`)
	e.lua(`require("emendo").new()`)
	e.waitUntil("another session is shown", `require("emendo").state().session.title ~= "First."`)
	close(more)
	e.waitFor(`in "First.": The model asks: With tests?  :Emendo permission`)
	if panel := e.buffer("emendo://panel"); strings.Contains(panel, "With tests?") {
		t.Errorf("it is shown in another session:\n%s", panel)
	}
	e.keys(":Emendo permission<CR>")
	e.waitFor("? The model asks")
	e.choose("Yes")
	e.waitFor("So be it.")
	w.checkAllDeclared()
}
