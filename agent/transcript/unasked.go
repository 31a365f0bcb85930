package transcript

// Unasked is a command that nobody allowed: it ran because the sandbox held it.
type Unasked struct {
	CallID  string `json:"toolCallId"`
	Command string `json:"command"` // its beginning, if it is long
}
