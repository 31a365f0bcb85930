package a2a

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
)

// keptTasks is how many tasks that have ended a server keeps for clients to look
// at. Their sessions are stored for longer.
const keptTasks = 200

// store keeps tasks in memory: those that run, and the last ones that have ended.
// The library's own store keeps all of them.
type store struct {
	kept int

	mu    sync.Mutex
	tasks map[a2a.TaskID][]byte // as JSON
	ended []a2a.TaskID          // in the order of their ends
}

var _ a2asrv.TaskStore = (*store)(nil)

func newStore(kept int) *store {
	return &store{kept: kept, tasks: map[a2a.TaskID][]byte{}}
}

// Save implements [a2asrv.TaskStore]. Nothing is saved for a task after its end.
func (s *store) Save(_ context.Context, t *a2a.Task) error {
	b, err := json.Marshal(t)
	if err != nil {
		return fmt.Errorf("store task %s: %w", t.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks[t.ID] = b
	if t.Status.State.Terminal() {
		s.ended = append(s.ended, t.ID)
	}
	for len(s.ended) > s.kept {
		delete(s.tasks, s.ended[0])
		s.ended = s.ended[1:]
	}
	return nil
}

// Get implements [a2asrv.TaskStore].
func (s *store) Get(_ context.Context, id a2a.TaskID) (*a2a.Task, error) {
	s.mu.Lock()
	b, ok := s.tasks[id]
	s.mu.Unlock()
	if !ok {
		return nil, a2a.ErrTaskNotFound
	}
	var t a2a.Task
	if err := json.Unmarshal(b, &t); err != nil {
		return nil, fmt.Errorf("read task %s: %w", id, err)
	}
	return &t, nil
}
