package turn_test

import (
	"fmt"
	"testing"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/state"
	"github.com/emendo-dev/emendo/agent/transcript"
)

// TestNoStepLimit, as the setting -1 says.
func TestNoStepLimit(t *testing.T) {
	const most = 130 // the default ends at 100
	agenttest.InWorld(t, map[string]string{"a.txt": "one\n"}, nil, func(t *testing.T, w *agenttest.World) {
		w.Options = func(o *state.Options) { o.Settings.Model.MaxSessionTurns = -1 }
		w.Stop()
		w.Start()
		n := 0
		w.Model.Answer = func(r model.Request) modeltest.Reply {
			if len(r.Tools) == 0 {
				return modeltest.Reply{modeltest.Say("{}")} // the reply to a loop check
			}
			if n++; n > most {
				return agenttest.Done()
			}
			return modeltest.Reply{agenttest.Call("glob", map[string]any{"pattern": fmt.Sprintf("%d.txt", n)})}
		}
		if end := w.Prompt(w.Session(policy.Default), "look"); end.StopReason != transcript.EndTurn || n != most+1 {
			t.Errorf("ended as %s after %d requests", end.StopReason, n)
		}
	})
}
