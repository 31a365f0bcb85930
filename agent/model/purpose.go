package model

// Purpose says what a request is for that is no step of a turn. Which model
// answers it, and with which configuration, is looked up by it.
type Purpose string

// What emendo asks models beside a conversation.
const (
	Compression Purpose = "chat-compression" // sum up the older part of a conversation, and check the summary
	Classifier  Purpose = "classifier"       // how hard a prompt is
	LoopJudge   Purpose = "loop-detection"   // does a model go round in circles?
	SecondJudge Purpose = "loop-detection-double-check"
	NextSpeaker Purpose = "next-speaker-checker" // has a model stopped in the middle of its work?
	Summarizer  Purpose = "summarizer-default"   // what a session was about, in a line
)
