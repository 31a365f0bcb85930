// Package geminichat reads the files in which Gemini CLI keeps conversations: one
// JSON object, or one record a line. It owns what these files mean, how they
// repeat themselves included, and knows nothing of sessions or of a wire.
package geminichat
