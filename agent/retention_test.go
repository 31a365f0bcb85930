package agent_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/agent/agenttest"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/policy"
	"github.com/emendo-dev/emendo/agent/transcript"
	"github.com/emendo-dev/emendo/internal/settings"
)

const day = 24 * time.Hour

func TestOldSessionsAreDeleted(t *testing.T) {
	tests := []struct {
		name string
		r    settings.SessionRetention
		want string // what is left of sessions last used 40, 20, 3 and 0 days ago, the open one among the first
	}{
		{"by age", settings.SessionRetention{MaxAge: settings.Period(10 * day), MinRetention: settings.Period(day)}, "now three"},
		{"by number", settings.SessionRetention{MaxCount: 3, MinRetention: settings.Period(day)}, "now three twenty"},
		{"by both", settings.SessionRetention{MaxAge: settings.Period(30 * day), MaxCount: 1, MinRetention: settings.Period(day)}, "now"},
		{"the youngest stay in any case", settings.SessionRetention{MaxCount: 1, MinRetention: settings.Period(10 * day)}, "now three"},
		{"a bound below the least keeps all", settings.SessionRetention{MaxAge: settings.Period(day), MinRetention: settings.Period(10 * day)}, "now three twenty forty"},
		{"no bound keeps all", settings.SessionRetention{MinRetention: settings.Period(day)}, "now three twenty forty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			replies := []modeltest.Reply{{modeltest.Say("1")}, {modeltest.Say("2")}, {modeltest.Say("3")}, {modeltest.Say("4")}}
			agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
				said := map[string]string{}
				for _, x := range []struct {
					name string
					then time.Duration
				}{{"forty", 20 * day}, {"twenty", 17 * day}, {"three", 3 * day}, {"now", 0}} {
					s := w.Session(policy.Default)
					w.Prompt(s, x.name)
					said[s.ID()] = x.name
					<-time.After(x.then) // of the bubble's clock
				}
				w.Stop()
				w.Start()
				if err := w.Agent.CleanUp(t.Context(), tt.r); err != nil {
					t.Fatal(err)
				}
				left, _, err := w.Agent.List(transcript.Listing{})
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, s := range left {
					names = append(names, said[s.ID])
				}
				if got := strings.Join(names, " "); got != tt.want {
					t.Errorf("left are %q, want %q", got, tt.want)
				}
			})
		})
	}
}

func TestSessionsInUseAreNotCleanedUp(t *testing.T) {
	replies := []modeltest.Reply{{modeltest.Say("1")}, {modeltest.Say("2")}}
	agenttest.InWorld(t, nil, replies, func(t *testing.T, w *agenttest.World) {
		open := w.Session(policy.Default)
		w.Prompt(open, "open")
		<-time.After(100 * day)
		imported := importFile(t, w, "old.json") // an old conversation, imported now
		if err := w.Agent.CleanUp(t.Context(), settings.SessionRetention{MaxAge: settings.Period(30 * day), MinRetention: settings.Period(day)}); err != nil {
			t.Fatal(err)
		}
		for _, id := range []string{open.ID(), imported.ID} {
			if _, _, err := transcript.NewStore(filepath.Join(w.State, "sessions")).Read(id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
		w.Prompt(open, "still here")
	})
}

func TestOldSessionsWithoutPromptsAreDeleted(t *testing.T) {
	agenttest.InWorld(t, nil, []modeltest.Reply{{modeltest.Say("1")}}, func(t *testing.T, w *agenttest.World) {
		w.Prompt(w.Session(policy.Default), "asked")
		for range 3 {
			w.Prompt(w.Session(policy.Default), "/help")
		}
		w.Stop()
		w.Start()
		logs := func(of settings.SessionRetention) int {
			t.Helper()
			if err := w.Agent.CleanUp(t.Context(), of); err != nil {
				t.Fatal(err)
			}
			l, err := filepath.Glob(filepath.Join(w.State, "sessions", "*", "*.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			return len(l)
		}
		<-time.After(20 * day)
		if n := logs(settings.SessionRetention{MaxAge: settings.Period(30 * day), MaxCount: 1}); n != 4 {
			t.Errorf("%d are left, want 4: they take no place of others", n)
		}
		<-time.After(20 * day)
		if n := logs(settings.SessionRetention{MaxAge: settings.Period(30 * day)}); n != 0 {
			t.Errorf("%d are left, want none", n)
		}
	})
}
