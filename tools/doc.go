// Package tools is what the agent can do in the user's world: one tool a file,
// the words that the model reads about it beside it in a Markdown file of the
// same name. A tool checks its arguments and declares the [Effect] that it
// would have; acting is a separate step that the caller takes once its gate
// has let the effect through. It knows neither the agent nor a front end.
package tools
