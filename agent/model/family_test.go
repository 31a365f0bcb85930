package model_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestWhatNamesStandFor(t *testing.T) {
	for _, tt := range []struct {
		name    string
		spelled string
		open    bool
		family  model.Family // empty: none
	}{
		{"auto", "gemini-2.5-pro", true, model.Gemini25},
		{"auto-gemini-2.5", "gemini-2.5-pro", true, model.Gemini25},
		{"auto-gemini-3", "gemini-3.1-pro-preview", true, model.Gemini3},
		{"models/auto", "gemini-2.5-pro", true, model.Gemini25},
		{"pro", "gemini-2.5-pro", false, model.Gemini25},
		{"flash", "gemini-2.5-flash", false, model.Gemini25},
		{"flash-lite", "gemini-2.5-flash-lite", false, model.Gemini25},
		{"gemini-3-flash-preview", "gemini-3-flash-preview", false, model.Gemini3},
		{"gemini-3", "gemini-3", false, model.Gemini3},
		{"gemini-30-pro", "gemini-30-pro", false, model.Gemini25},
		{"gemini-2.0-flash", "gemini-2.0-flash", false, model.Gemini25},
		{"gemma-4-31b-it", "gemma-4-31b-it", false, model.Family{}},
		{"", "", false, model.Family{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, open := model.Automatic(tt.name)
			family, known := model.FamilyOf(tt.name)
			if got := model.Spelled(tt.name); got != tt.spelled || open != tt.open || family != tt.family || known != (tt.family != model.Family{}) {
				t.Errorf("%s, left open: %v, of %+v", got, open, family)
			}
		})
	}
}
