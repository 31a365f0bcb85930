// Package hooks runs the user's own commands at eleven events of a session, in
// the configuration, the JSON and the exit statuses of Gemini CLI, so that what
// was written for that works here: what is configured, which hooks an event
// starts, what they are told, how what they say is read and put together.
//
// It knows no session, no turn and no tool: it says what hooks want, and the
// agent does it, as far as the gate lets it. What a hook says can make a
// decision stricter, never looser.
package hooks
