// Package transport is the way from the generators to their providers: one round
// tripper that turns every HTTP failure into a [*model.Error], cancels streams that
// fall silent, normalizes their framing, bounds what is read, and keeps secrets out
// of messages. It knows no provider: each one gives it its own reading of error
// bodies. It never repeats a request.
package transport
