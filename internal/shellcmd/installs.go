package shellcmd

import "strings"

// setsUp are the sub-commands by which programs are told what to run from then on,
// as the leading words of a call.
var setsUp = strings.Split(`go env -w,npm config set,npm set,npm c set,pnpm config set,pnpm set,yarn config set,gh alias set,gh alias import,gh config set,glab alias set,pip config set,pip3 config set,systemctl enable,systemctl link,systemctl edit,launchctl load,launchctl bootstrap,launchctl submit`, ",")

// harmlessNpm are settings of npm that name no program and no place to fetch from.
var harmlessNpm = set("fund audit progress loglevel color save-exact save-prefix engine-strict legacy-peer-deps")

// installs returns why a call changes what other programs run later, empty when it
// is not known to. One that sets git's settings says so itself.
func (c *call) installs() string {
	switch c.name {
	case "crontab":
		if len(c.words) == 2 && c.words[1].is("-l") {
			return ""
		}
		return "it changes which commands run at set times"
	case "at", "batch":
		if option(c.words[1:], "lqcrd") {
			return ""
		}
		return runsLater
	}
	var words []string
	for _, w := range c.words[1:] {
		if !strings.HasPrefix(w.text, "-") || w.is("-w") {
			words = append(words, w.text)
		}
	}
	line := c.name + " " + strings.Join(words, " ")
	for _, s := range setsUp {
		rest, ok := strings.CutPrefix(line, s+" ")
		name, _, _ := strings.Cut(strings.Fields(rest + " .")[0], "=")
		if ok && !(strings.HasPrefix(s, "npm") && harmlessNpm[name]) {
			return "it sets what " + c.name + " may run"
		}
	}
	return ""
}
