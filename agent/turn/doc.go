// Package turn runs one turn: it asks the model step by step, runs the model's
// calls after hooks and the gate have allowed them, keeps the conversation within
// the model's context limit, and runs slash commands. It does not know in which
// order prompts run, or any protocol.
package turn
