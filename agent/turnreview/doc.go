// Package turnreview joins a turn with the user's decisions on its edits: what waits for
// them, and what the model is told of them. It knows neither how edits are made nor tools.
package turnreview
