package agent_test

import (
	"fmt"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// TestNoStepLimit, as the setting -1 says.
func TestNoStepLimit(t *testing.T) {
	const most = 130 // the default ends at 100
	inWorld(t, map[string]string{"a.txt": "one\n"}, nil, func(t *testing.T, w *world) {
		w.options = func(o *state.Options) { o.Settings.Model.MaxSessionTurns = -1 }
		w.stop()
		w.start()
		n := 0
		w.model.Answer = func(r model.Request) modeltest.Reply {
			if len(r.Tools) == 0 {
				return modeltest.Reply{modeltest.Say("{}")} // the reply to a loop check
			}
			if n++; n > most {
				return done()
			}
			return modeltest.Reply{call("glob", map[string]any{"pattern": fmt.Sprintf("%d.txt", n)})}
		}
		if end := w.prompt(w.session(policy.Default), "look"); end.StopReason != transcript.EndTurn || n != most+1 {
			t.Errorf("ended as %s after %d requests", end.StopReason, n)
		}
	})
}
