package model

// Purpose identifies a request that is not a step of a turn. It selects the model
// and its configuration.
type Purpose string

// The purposes.
const (
	Compression Purpose = "chat-compression" // summarize the older part of a conversation, and check the summary
	Classifier  Purpose = "classifier"       // judge how hard a prompt is
	LoopJudge   Purpose = "loop-detection"   // judge whether a model repeats itself
	SecondJudge Purpose = "loop-detection-double-check"
	NextSpeaker Purpose = "next-speaker-checker" // judge whether a model stopped in the middle of its work
	Summarizer  Purpose = "summarizer-default"   // summarize a session in one line
)
