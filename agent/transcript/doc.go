// Package transcript owns the events of sessions, their log on disk, the store of
// all logs, and the conversation for the model, which is a fold over the events. It
// knows no client, no running turn and no provider.
package transcript
