// Package briefing owns what the model is given beside the conversation: what
// the editor shows, the folders of the workspace, context files and saved facts,
// the files that a prompt names, and the list of all that for the user. It knows
// no turn and no provider.
package briefing
