package visible

import "strings"

// Name returns a name as it is shown to the model and the user, on one line and
// with hidden characters escaped. A file may have any name: with a line end it
// could pass for our output, with a bidirectional control for another name.
func Name(name string) string { return nameEnds.Replace(Escape(name)) }

var nameEnds = strings.NewReplacer("\n", `\n`, "\t", `\t`)
