// Package turn runs one turn: it asks the model step by step, takes its calls
// through hooks and the gate and carries them out, keeps the conversation within
// what the model takes, and carries out slash commands. It knows neither the order
// of prompts nor any wire.
package turn
