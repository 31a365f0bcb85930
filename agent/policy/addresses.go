package policy

import (
	"regexp"
	"slices"

	"github.com/emendo-dev/emendo/tools"
)

// fetchTool is the tool that fetches pages.
const fetchTool = "web_fetch"

// addressed returns the arguments of a call that fetches pages as they would be
// for each of its addresses alone, in the form in which it is sent; nil for other
// calls.
func (a *arguments) addressed() []argumentText {
	e, ok := a.call.Effect.(tools.Sends)
	if !ok || a.call.Tool != fetchTool {
		return nil
	}
	var l []argumentText
	for _, u := range e.URLs {
		l = append(l, argumentText{JSON: "{\x00\"url\":\"" + inJSON(u) + "\"\x00}"})
	}
	return l
}

// allowsAddresses reports whether a rule that allows covers a call with these
// addresses: each of them, since an expression that one of them matches is in the
// arguments of a call with others too. An answer covers the call that it was
// given about.
func (a *arguments) allowsAddresses(r *Rule, addressed []argumentText) bool {
	if r.Answer && r.Args.String() == wholly(a.given()) {
		return true
	}
	return !slices.ContainsFunc(addressed, func(t argumentText) bool { return !r.Args.MatchString(t.JSON) })
}

// wholly returns the expression that matches exactly these arguments.
func wholly(a argumentText) string { return "^" + regexp.QuoteMeta(a.JSON) + "$" }
