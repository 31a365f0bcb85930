// Package chat has the sessions and turns of an ACP client: it opens and closes the
// sessions that the client names, runs its prompts, shows it what happens, and asks its user.
package chat
