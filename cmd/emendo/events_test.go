package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/emendo-dev/emendo/agent/frontend"
	"github.com/emendo-dev/emendo/agent/model/gemini/geminitest"
	"github.com/emendo-dev/emendo/agent/state"
)

// A run tells scripts what happens beside the conversation, in lines of their own.
func TestEventsAreLinesOfAStream(t *testing.T) {
	w := newWorld(t, geminitest.Say("Hello."))
	w.write("AGENTS.md", "Whole cents.\n")
	got := ""
	for _, l := range w.run("-o", "stream-json", "-p", "hi").lines(t) {
		if l["type"] == "event" {
			got += fmt.Sprint(l["event"], l["data"])
		}
	}
	if got != "memory_changedmap[fileCount:1]" {
		t.Errorf("the events are %q", got)
	}
}

// The result is the last line, whatever happens after it.
func TestNoEventFollowsTheResult(t *testing.T) {
	var printed, warned strings.Builder
	o := process{stdout: &printed, stderr: &warned}.output("stream-json", func(error) {})
	if err := o.Finish(state.Ended{}, nil, 0); err != nil {
		t.Fatal(err)
	}
	whole := printed.String()
	o.Happened("s", frontend.HookStart{HookName: "h", EventName: "SessionEnd", Source: "user"})
	if got := printed.String(); got != whole || whole == "" {
		t.Errorf("printed %q after the result", got)
	}
}
