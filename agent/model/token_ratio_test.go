package model_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestRatio(t *testing.T) {
	type count struct{ estimated, counted int64 }
	for _, tt := range []struct {
		name   string
		counts []count
		want   float64
	}{
		{"nothing is learnt yet", nil, 1},
		{"the first count is believed", []count{{1000, 1300}}, 1.3},
		{"later ones move it a part of the way", []count{{1000, 1000}, {1000, 2000}}, 1.3},
		{"the same again changes nothing", []count{{1000, 1500}, {2000, 3000}}, 1.5},
		{"a small request says nothing", []count{{199, 900}}, 1},
		{"a provider that does not count says nothing", []count{{1000, 0}, {1000, -1}}, 1},
		{"a count out of all proportion", []count{{1000, 100_000}}, 4},
		{"a count of next to nothing", []count{{1000, 1}}, 0.25},
		{"no estimate", []count{{0, 100}}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r model.TokenRatio
			for _, c := range tt.counts {
				r.Learn(c.estimated, c.counted)
			}
			if got := r.Value(); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("ratio %v, want %v", got, tt.want)
			}
		})
	}
}

func TestScaleUsesTheLastCount(t *testing.T) {
	var r model.TokenRatio
	r.Learn(1000, 1000)
	r.Learn(2000, 4000) // the ratio is 1.3 from here on
	for _, tt := range []struct {
		name            string
		estimated, want int64
	}{
		{"the same request again", 2000, 4000},
		{"what came since is scaled", 3000, 5300},
		{"a shorter one takes its share", 1000, 2000},
		{"nothing", 0, 0},
	} {
		if got := r.Scale(tt.estimated); got != tt.want {
			t.Errorf("%s: %d tokens, want %d", tt.name, got, tt.want)
		}
	}
	r.Learn(2000, 100) // it counted only what was not cached
	if got := r.Scale(2000); got != 4000 {
		t.Errorf("after a count out of all proportion: %d tokens, want 4000", got)
	}
}

func TestRatioComesNearTheTruth(t *testing.T) {
	var r model.TokenRatio
	r.Learn(1000, 4000)
	for range 10 {
		r.Learn(1000, 800)
	}
	if got := r.Value(); math.Abs(got-0.8) > 0.1 {
		t.Errorf("after ten counts of 0.8 the ratio is %v", got)
	}
}

func TestRatioStaysInItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r model.TokenRatio
		for range rapid.IntRange(0, 20).Draw(t, "counts") {
			r.Learn(rapid.Int64().Draw(t, "estimated"), rapid.Int64().Draw(t, "counted"))
			if v := r.Value(); v < 0.25 || v > 4 {
				t.Fatalf("ratio %v", v)
			}
		}
	})
}
