package model_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
)

// steps are what layers and their watches are asked for, in order.
type steps struct{ list []string }

func (s *steps) add(format string, args ...any) {
	s.list = append(s.list, fmt.Sprintf(format, args...))
}

// noted is a layer that notes what it is asked for, and marks each chunk.
type noted struct {
	name  string
	steps *steps
	begin error // of Begin
	end   error // of End, unless the reader has left
}

func (l noted) Begin(context.Context, *model.Request) (model.Watch, error) {
	l.steps.add("%s begins", l.name)
	if l.begin != nil {
		return nil, l.begin
	}
	return l, nil
}

func (l noted) Chunk(c model.Chunk, err error) (model.Chunk, error) {
	if err != nil {
		return c, fmt.Errorf("%s: %w", l.name, err)
	}
	c.ResponseID += l.name
	return c, nil
}

func (l noted) End(left bool) error {
	l.steps.add("%s ends, left %v", l.name, left)
	if left {
		return nil
	}
	return l.end
}

// opened is a noted layer with a chunk before the answer.
type opened struct{ noted }

func (l opened) Begin(ctx context.Context, r *model.Request) (model.Watch, error) {
	_, err := l.noted.Begin(ctx, r)
	return l, err
}

func (l opened) Opening() []model.Chunk { return []model.Chunk{{ResponseID: "opening "}} }

// spoken answers with two chunks, or with an error.
type spoken struct {
	steps *steps
	err   error
}

func (g spoken) Stream(context.Context, model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		g.steps.add("asked")
		if g.err != nil {
			yield(model.Chunk{}, g.err)
			return
		}
		_ = yield(model.Chunk{ResponseID: "one "}, nil) && yield(model.Chunk{ResponseID: "two "}, nil)
	}
}

func TestLayers(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		name   string
		layers func(*steps) []model.Layer // the outermost first
		err    error                      // of the generator
		stop   int                        // chunks that are read; 0: all
		panics bool                       // the reader panics then
		want   []string                   // steps, then what was read
	}{
		{
			name: "an answer",
			layers: func(s *steps) []model.Layer {
				return []model.Layer{noted{name: "a", steps: s}, noted{name: "b", steps: s}}
			},
			want: []string{"a begins", "b begins", "asked", "read one ba", "read two ba", "b ends, left false", "a ends, left false"},
		},
		{
			name: "an error",
			layers: func(s *steps) []model.Layer {
				return []model.Layer{noted{name: "a", steps: s}, noted{name: "b", steps: s}}
			},
			err:  broken,
			want: []string{"a begins", "b begins", "asked", "read error a: b: broken", "b ends, left false", "a ends, left false"},
		},
		{
			name:   "a reader that leaves",
			layers: func(s *steps) []model.Layer { return []model.Layer{noted{name: "a", steps: s, end: broken}} },
			stop:   1,
			want:   []string{"a begins", "asked", "read one a", "a ends, left true"},
		},
		{
			name:   "a reader that panics",
			layers: func(s *steps) []model.Layer { return []model.Layer{noted{name: "a", steps: s}} },
			stop:   1, panics: true,
			want: []string{"a begins", "asked", "read one a", "a ends, left true"},
		},
		{
			name: "a layer that does not begin",
			layers: func(s *steps) []model.Layer {
				return []model.Layer{noted{name: "a", steps: s}, noted{name: "b", steps: s, begin: broken}, noted{name: "c", steps: s}}
			},
			want: []string{"a begins", "b begins", "read error a: broken", "a ends, left false"},
		},
		{
			name: "a layer that fails at the end",
			layers: func(s *steps) []model.Layer {
				return []model.Layer{noted{name: "a", steps: s}, noted{name: "b", steps: s, end: broken}}
			},
			want: []string{"a begins", "b begins", "asked", "read one ba", "read two ba", "b ends, left false", "read error a: broken", "a ends, left false"},
		},
		{
			name: "a chunk before the answer goes through the layers outside",
			layers: func(s *steps) []model.Layer {
				return []model.Layer{noted{name: "a", steps: s}, opened{noted{name: "b", steps: s}}}
			},
			want: []string{"a begins", "b begins", "read opening a", "asked", "read one ba", "read two ba", "b ends, left false", "a ends, left false"},
		},
	} {
		for _, nested := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, nested %v", tt.name, nested), func(t *testing.T) {
				s := &steps{}
				var g model.Generator = spoken{s, tt.err}
				layers := tt.layers(s)
				if nested { // one after the other: With over With
					for _, l := range slices.Backward(layers) {
						g = model.With(g, l)
					}
				} else {
					g = model.With(g, layers...)
				}
				read := 0
				func() {
					defer func() { _ = recover() }()
					for c, err := range g.Stream(t.Context(), model.Request{}) {
						if err != nil {
							s.add("read error %v", err)
							continue
						}
						s.add("read %s", c.ResponseID)
						if read++; read == tt.stop {
							if tt.panics {
								panic("the reader")
							}
							break
						}
					}
				}()
				if !slices.Equal(s.list, tt.want) {
					t.Errorf("got %q, want %q", s.list, tt.want)
				}
			})
		}
	}
}
