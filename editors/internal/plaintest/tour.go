package plaintest

import "github.com/emendo-dev/emendo/agent/model/gemini/geminitest"

// Tariff is the file of the pictures. It does not charge for an hour that has begun.
const Tariff = `"""What drivers pay for parking."""

FREE = 15  # minutes
PER_HOUR, PER_DAY = 250, 1800  # cents


def fee(minutes):
    """Return the price of so many minutes."""
    if minutes <= FREE:
        return 0
    hours = minutes // 60
    days, hours = divmod(hours, 24)
    return days * PER_DAY + hours * PER_HOUR
`

// A Tour is a conversation about the tariff, of which pictures are taken.
type Tour struct {
	Line     string // of what is asked about
	Question string
	Answer   string // its end
	Request  string // asks for two changes
	Added    []string
	Test     string // asks for a command
	Command  string
	Replies  []geminitest.Reply
}

// NewTour returns the conversation.
func NewTour() Tour {
	t := Tour{
		Line: "11", Question: "Why do 90 minutes cost 2.50?", Answer: "Shall I round up?",
		Request: "Yes, and say so in the docstring.", Added: []string{"Begun hours are paid.", "(minutes + 59) // 60"},
		Test: "Now run the tests.", Command: "make test",
	}
	t.Replies = []geminitest.Reply{
		geminitest.Say("The division drops the hour that has begun:\n\n",
			"- 60 minutes are 1 hour, and cost 2.50\n- 90 minutes are 1 hour too, so 2.50 again\n\n", t.Answer+"\n"),
		geminitest.Do(geminitest.Text("Rounding up in `fee`, and saying so.\n\n"),
			Edit("fee.py", `price of so many minutes."""`, `price. `+t.Added[0]+`"""`), Edit("fee.py", "minutes // 60", t.Added[1])),
		geminitest.Say("Both changes are in."),
		geminitest.Do(geminitest.Text("I run the tests of `fee`.\n\n"), Run(t.Command)),
		geminitest.Say("They pass."),
	}
	return t
}
