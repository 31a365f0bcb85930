package model_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func TestAModelThatIsLoadingIsWaitedFor(t *testing.T) {
	for name, tt := range map[string]struct {
		load  time.Duration
		fails bool
	}{
		"two minutes": {2 * time.Minute, false},
		"for ever":    {24 * time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				s := &modeltest.Script{Lenient: true, Answer: func(model.Request) modeltest.Reply {
					if time.Since(begun) < tt.load {
						return modeltest.Reply{modeltest.FailWith(&model.Error{Kind: model.Unavailable, Status: 503, Message: "Loading model", Loading: true})}
					}
					return modeltest.Reply{modeltest.Say("here")}
				}}
				told, text := 0, ""
				var failed error
				for c, err := range model.FallingBack(s, model.FallbackOptions{Retry: model.RetryOptions{Attempts: 1}}).Stream(t.Context(), model.Request{}) {
					failed = err
					if c.Retry != nil && c.Retry.Loading {
						told++
					}
					for _, p := range c.Parts {
						if p, ok := p.(model.Text); ok {
							text += p.Text
						}
					}
				}
				if told != 1 || (failed != nil) != tt.fails || (text == "here") == tt.fails {
					t.Errorf("told %d times, and got %q, %v", told, text, failed)
				}
				if took := time.Since(begun); took > model.LongestLoad+10*time.Second || !tt.fails && took > tt.load+5*time.Second {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}
