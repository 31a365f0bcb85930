// Package model defines a conversation with a language model: messages, parts,
// requests, chunks, usage and errors, and the [Generator] interface that every
// provider implements. It owns retries and fallback to other models, and estimates how
// many tokens a request has, learning from the providers' counts. It knows no provider's
// JSON, no tool, no tokenizer and no front end.
//
// A request outside of a conversation, such as for a summary of it, has a
// [Purpose], by which the agent chooses the model. The caller passes generator and
// model to [Ask] or [AskObject].
package model
