// Package briefing owns the context that the model gets beside the conversation: the
// system prompt, in modules that are each a page of its own; the state of the editor, the
// folders of the workspace, context files and saved facts, the files that a prompt names;
// and the list of all this for the user. It knows no turn and no provider.
package briefing
