// Package transcript owns what happened in sessions: their events, the log on
// disk that holds them, the store of all logs, and the conversation that the
// model is shown, which is a fold over the events. It knows no client, no
// running turn and no provider.
package transcript
