// Package chat has the sessions and turns of an ACP client: it opens and closes the
// sessions that the client names, runs its prompts, and shows it what happens.
package chat
