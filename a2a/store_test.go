package a2a

import (
	"errors"
	"testing"

	"github.com/a2aproject/a2a-go/a2a"
)

func TestStoreKeepsTheLastEnded(t *testing.T) {
	s := newStore(2)
	save := func(id a2a.TaskID, state a2a.TaskState) {
		if err := s.Save(t.Context(), &a2a.Task{ID: id, ContextID: "c", Status: a2a.TaskStatus{State: state}}); err != nil {
			t.Fatal(err)
		}
	}
	save("running", a2a.TaskStateWorking)
	for _, id := range []a2a.TaskID{"one", "two", "three"} {
		save(id, a2a.TaskStateWorking)
		save(id, a2a.TaskStateCompleted)
	}
	for id, want := range map[a2a.TaskID]a2a.TaskState{"running": a2a.TaskStateWorking, "one": "", "two": a2a.TaskStateCompleted, "three": a2a.TaskStateCompleted} {
		got, err := s.Get(t.Context(), id)
		if want == "" {
			if !errors.Is(err, a2a.ErrTaskNotFound) {
				t.Errorf("task %s is %v, %v, want none", id, got, err)
			}
			continue
		}
		if err != nil || got.Status.State != want {
			t.Errorf("task %s is %v, %v, want it %s", id, got, err, want)
		}
	}
}
