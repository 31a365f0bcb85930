package gate

import (
	"context"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/sandbox"
	"github.com/emendo-dev/emendo/internal/shellcmd"
	"github.com/emendo-dev/emendo/tools"
)

// A user is a client whose user answers each question with the option of a kind.
type user struct {
	asks   bool
	answer frontend.OptionKind
	asked  []frontend.Question
}

func (*user) Show(context.Context, transcript.Update) error { return nil }
func (u *user) Abilities() frontend.Abilities               { return frontend.Abilities{Asks: u.asks} }

func (u *user) Ask(_ context.Context, q frontend.Question) (frontend.Answer, error) {
	u.asked = append(u.asked, q)
	for _, o := range q.Options {
		if o.Kind == u.answer {
			return frontend.Answer{OptionID: o.ID}, nil
		}
	}
	return frontend.Answer{}, nil
}

// isolated is a sandbox of level A.
type isolated struct{}

func (isolated) Survey() sandbox.Survey        { return sandbox.Survey{Level: sandbox.Isolated} }
func (isolated) Known() (sandbox.Survey, bool) { return isolated{}.Survey(), true }

// A command that wrote much goes on only if the user says so: nobody there, or no answer, ends
// it. The question names the command and why, and each has an ID of its own.
func TestACommandThatWroteMuchGoesOnIfTheUserSaysSo(t *testing.T) {
	e := tools.Runs{Analysis: shellcmd.Analysis{Command: "make", Dir: "/w", Parts: []shellcmd.Part{{Text: "make"}}}}
	for _, c := range []struct {
		user *user
		want bool
	}{
		{&user{asks: true, answer: frontend.AllowOnce}, true},
		{&user{asks: true, answer: frontend.RejectOnce}, false},
		{&user{asks: true, answer: frontend.AllowAlways}, false}, // no such option: no answer
		{&user{answer: frontend.AllowOnce}, false},
	} {
		g := New(Options{Client: c.user, SessionID: "s", Commands: Commands{Sandbox: isolated{}}})
		turn := g.Turn(TurnOptions{ID: "t"})
		for range 2 {
			if got := turn.GoOn(t.Context(), e, "It has written 2.0 GiB."); got != c.want {
				t.Errorf("%+v: %v", c.user, got)
			}
		}
		if !c.user.asks {
			if len(c.user.asked) > 0 {
				t.Error("nobody is there, and was asked")
			}
			continue
		}
		if q := c.user.asked; len(q) != 2 || q[0].Call.CallID == q[1].Call.CallID || q[0].Preview.Command != "make" || !strings.Contains(q[0].Reason, "2.0 GiB") {
			t.Errorf("asked %+v", q)
		}
	}
}
