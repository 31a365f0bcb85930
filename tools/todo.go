package tools

// A Todo is an entry of the task list.
type Todo struct {
	Description string     `json:"description" jsonschema:"The step, in one line."`
	Status      TodoStatus `json:"status" enum:"pending,in_progress,completed,cancelled,blocked" jsonschema:"The status."`
}

// TodoStatus is the status of a task.
type TodoStatus string

// The statuses.
const (
	TodoPending    TodoStatus = "pending"
	TodoInProgress TodoStatus = "in_progress"
	TodoCompleted  TodoStatus = "completed"
	TodoCancelled  TodoStatus = "cancelled"
	TodoBlocked    TodoStatus = "blocked"
)
