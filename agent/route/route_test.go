package route_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/route"
)

func TestDecide(t *testing.T) {
	says := func(hard bool, err error) func(context.Context) (bool, string, error) {
		return func(context.Context) (bool, string, error) { return hard, "because", err }
	}
	never := func(context.Context) (bool, string, error) { panic("the classifier is asked") }
	fastDown := func(name string) bool { return name == "fast" }
	for _, tt := range []struct {
		name string
		p    route.Prompt
		want string
	}{
		{"nothing is known", route.Prompt{}, "strong by default"},
		{"a plan is made", route.Prompt{Planning: true, Hard: never}, "strong by approval-mode"},
		{"a plan is made where one was approved before", route.Prompt{Planning: true, Approved: true}, "strong by approval-mode"},
		{"a plan is approved", route.Prompt{Approved: true, Hard: never}, "fast by approval-mode"},
		{"a plan is approved, and the fast model is down", route.Prompt{Approved: true, Down: fastDown}, "strong by default"},
		{"judged hard", route.Prompt{Hard: says(true, nil)}, "strong by classifier"},
		{"judged easy", route.Prompt{Hard: says(false, nil)}, "fast by classifier"},
		{"judged easy, and the fast model is down", route.Prompt{Hard: says(false, nil), Down: fastDown}, "strong by default"},
		{"not judged", route.Prompt{Hard: says(false, errors.New("no"))}, "strong by default: no"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.p.Strong, tt.p.Fast = "strong", "fast"
			d := route.Decide(t.Context(), tt.p)
			got := fmt.Sprintf("%s by %s", d.Model, d.Source)
			if d.Err != nil {
				got += ": " + d.Err.Error()
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAsk(t *testing.T) {
	for _, tt := range []struct {
		name, reply, want string
	}{
		{"hard", `{"reasoning":"four steps","model_choice":"strong"}`, "true four steps"},
		{"easy, in a fence", "```json\n{\"reasoning\":\"one step\",\"model_choice\":\"Fast\"}\n```", "false one step"},
		{"another word", `{"model_choice":"medium"}`, `the classifier chose "medium", which is neither strong nor fast`},
		{"no object", `strong`, "model request: the answer is not the requested JSON object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say(tt.reply)}}}
			hard, why, err := route.Ask(s, "small", []model.Message{said(model.User, "go")})(t.Context())
			got := fmt.Sprint(hard, " ", why)
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if len(s.Requests()) != 1 || s.Requests()[0].Model != "small" {
				t.Errorf("asked: %+v", s.Requests())
			}
		})
	}
}

func TestASlowClassifierIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Hold(hold)}}}
		begun := time.Now()
		_, _, err := route.Ask(s, "small", []model.Message{said(model.User, "go")})(t.Context())
		if took := time.Since(begun); err == nil || took != 5*time.Second {
			t.Errorf("ended after %v with %v", took, err)
		}
	})
}

func TestAClassifierIsShownTheLastWords(t *testing.T) {
	history := []model.Message{said(model.User, "old"), said(model.Model, "older answer"), said(model.User, "b")}
	for range 5 {
		history = append(history,
			model.Message{Role: model.Model, Parts: []model.Part{model.Thought{Text: "secret"}, model.Call{Name: "f", Args: []byte(`{}`)}}},
			model.Message{Role: model.User, Parts: []model.Part{model.Result{Name: "f", Output: "secret"}}})
	}
	history = append(history, said(model.Model, "c"), said(model.User, strings.Repeat("x", 5000)+" fix it"))
	s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say(`{"model_choice":"fast"}`)}}}
	if _, _, err := route.Ask(s, "small", history)(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := s.Requests()[0].Messages[0].Parts[0].(model.Text).Text
	for _, want := range []string{"<model>\nolder answer", "<user>\nb", "<model>\nc", "x fix it"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not shown", want)
		}
	}
	if strings.Contains(got, "secret") || strings.Contains(got, "<user>\nold\n") || len(got) > 4500 {
		t.Errorf("shown are %d bytes: %.300s", len(got), got)
	}
}

func said(r model.Role, text string) model.Message {
	return model.Message{Role: r, Parts: []model.Part{model.Text{Text: text}}}
}
