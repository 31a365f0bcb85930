package model_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func TestAsk(t *testing.T) {
	say, think := modeltest.Say, modeltest.Think
	counted := model.Usage{Input: 7, Output: 2, Total: 9}
	for _, tt := range []struct {
		name    string
		replies []modeltest.Reply
		want    model.Whole
		err     model.ErrorKind
	}{
		{
			name: "texts are joined, thoughts left out", replies: []modeltest.Reply{{think("hm"), say("a"), say("b"), modeltest.Usage(counted)}},
			want: model.Whole{Text: "ab", Finish: model.Stop, Usage: counted},
		},
		{
			name: "the end is told", replies: []modeltest.Reply{{say("a"), modeltest.Finish(model.MaxTokens)}},
			want: model.Whole{Text: "a", Finish: model.MaxTokens},
		},
		{
			name: "a voided attempt leaves nothing", replies: []modeltest.Reply{{say("a"), modeltest.Usage(counted), modeltest.Fail(model.Cut)}, {say("b")}},
			want: model.Whole{Text: "b", Finish: model.Stop},
		},
		{name: "a failure", replies: []modeltest.Reply{{say("a"), modeltest.Fail(model.Auth)}}, err: model.Auth},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, err := model.Ask(t.Context(), model.FallingBack(&modeltest.Script{Replies: tt.replies}, model.FallbackOptions{Retry: model.RetryOptions{}}), question)
				if got != tt.want || kindOf(err) != tt.err {
					t.Errorf("got %+v and %v, want %+v and kind %q", got, err, tt.want, tt.err)
				}
			})
		})
	}
}

func TestAskIsCancelled(t *testing.T) {
	why := errors.New("the user pressed escape")
	ctx, cancel := context.WithCancelCause(t.Context())
	s := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say("a"), modeltest.Do(func() { cancel(why) }), modeltest.Say("b")}}}
	if got, err := model.Ask(ctx, s, question); !errors.Is(err, why) || got.Text != "" {
		t.Errorf("got %+v and %v", got, err)
	}
}

func TestAskObject(t *testing.T) {
	say := modeltest.Say
	for _, tt := range []struct {
		name    string
		replies []modeltest.Reply
		want    int
		err     model.ErrorKind
		asked   int
	}{
		{name: "an object", replies: []modeltest.Reply{{say(`{"n": 1}`)}}, want: 1, asked: 1},
		{name: "in a fence, with a word before it", replies: []modeltest.Reply{{say("Here:\n```json\n{\"n\": 2}\n```\n")}}, want: 2, asked: 1},
		{name: "none at first", replies: []modeltest.Reply{{say("No.")}, {say(`{"n": 3}`)}}, want: 3, asked: 2},
		{name: "a field of another type", replies: []modeltest.Reply{{say(`{"n": "x"}`)}, {say(`{"n": 4}`)}}, want: 4, asked: 2},
		{name: "none at all", replies: []modeltest.Reply{{say("No.")}, {say("}{")}, {say(`{"n": 5}`)}}, err: model.Empty, asked: 2},
		{name: "a failure is not asked again", replies: []modeltest.Reply{{modeltest.Fail(model.Quota)}, {say(`{"n": 6}`)}}, err: model.Quota, asked: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &modeltest.Script{Replies: tt.replies}
			var got struct{ N int }
			err := model.AskObject(t.Context(), s, question, 2, &got)
			if kindOf(err) != tt.err || err == nil && got.N != tt.want || len(s.Requests()) != tt.asked {
				t.Errorf("got %d and %v after %d requests, want %d and kind %q after %d", got.N, err, len(s.Requests()), tt.want, tt.err, tt.asked)
			}
		})
	}
}

// kindOf returns the kind of a model's error, or "".
func kindOf(err error) model.ErrorKind {
	var e *model.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}
