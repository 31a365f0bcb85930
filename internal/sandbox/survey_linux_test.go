package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWorkingMechanismsAreRemembered checks that a means is not probed again until
// the next boot, or until it fails.
func TestWorkingMechanismsAreRemembered(t *testing.T) {
	any := func(Level) bool { return true }
	file := filepath.Join(t.TempDir(), "sandbox.json")
	var tried []string
	works := map[string]bool{"second": true}
	was := allMeans
	t.Cleanup(func() { allMeans = was })
	allMeans = nil
	for i, name := range []string{"first", "second", "third"} {
		allMeans = append(allMeans, means{level: Level(2 - i), name: name, start: func(context.Context, Command) (Process, error) {
			tried = append(tried, name)
			if works[name] {
				return done{}, nil
			}
			return nil, errors.New("out of order")
		}})
	}
	expect := func(s *surveyed, means string, want ...string) {
		t.Helper()
		tried = nil
		found := s.survey(any, file)
		if last := found[len(found)-1]; last.Means != means || last.Err != nil {
			t.Errorf("the survey ends with %s, %v; want %s", last.Means, last.Err, means)
		}
		if !slices.Equal(tried, want) {
			t.Errorf("tried %v, want %v", tried, want)
		}
	}
	var a surveyed
	expect(&a, "second", "first", "second")
	expect(&a, "second")

	var b surveyed // of the next process
	expect(&b, "second", "first")
	if b.doubt("third", file) || !b.doubt("second", file) {
		t.Error("another means was forgotten than the one that was remembered")
	}
	works = map[string]bool{"third": true}
	expect(&b, "third", "second", "third")

	if err := os.WriteFile(file, []byte(`{"where":"another boot","means":["second"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	var c surveyed
	expect(&c, "third", "first", "second", "third")
}

// done is a process that has ended successfully.
type done struct{ Process }

func (done) Input() io.WriteCloser               { return nothing{} }
func (done) Output() io.ReadCloser               { return io.NopCloser(strings.NewReader("")) }
func (done) Errors() io.ReadCloser               { return io.NopCloser(strings.NewReader("")) }
func (done) Wait() Exit                          { return Exit{} }
func (done) Kill(time.Duration) (left, of []int) { return nil, nil }

// nothing takes what is written.
type nothing struct{}

func (nothing) Write(b []byte) (int, error) { return len(b), nil }
func (nothing) Close() error                { return nil }
