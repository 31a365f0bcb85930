package program

import (
	"slices"
	"strings"
)

// networkTable holds programs that use the network.
var networkTable = map[string]*program{
	"curl":                              {network: true, operands: texts, options: "-# -s -S -L -f -i -I -v -g -k! -4 -6 -m= -A= -H= -w= --silent --show-error --location --fail --fail-with-body --include --head --verbose --globoff --max-time= --connect-timeout= --user-agent= --header= --write-out= --compressed --http1.1 --http2 --ipv4 --ipv6 --retry= --retry-delay= --no-progress-meter", also: curlArguments},
	"wget":                              {network: true, operands: texts, options: "--use-askpass> -e< --execute< -q -v -nv -S -4 -6 --quiet --verbose --spider --server-response --timeout= --tries= --no-verbose"},
	"http https xh httpie":              {network: true, operands: texts, also: requireSubCommand(1)},
	"scp":                               {network: true, operands: targets, options: "-S> -o= -v -r -q -C", also: hosts},
	"rsync rclone":                      {network: true, operands: targets, options: "-e> --rsh> --rsync-path> -a -v -z -r -q -n --archive --verbose --compress --recursive --dry-run --progress --stats", also: hosts},
	"nc netcat":                         {network: true, operands: texts, never: "it sends whatever it reads"},
	"ncat socat":                        {network: true, operands: texts, never: "it sends whatever it reads", opaque: whyRunsNamed},
	"ping traceroute dig host nslookup": {network: true, operands: texts, options: "-c= -W= -w= -n -4 -6 -t= +short"},
	"whois":                             {network: true, operands: texts},
	"docker podman nerdctl": {network: true, operands: texts, also: containers, commands: map[string]*program{
		"ps":      {operands: texts, options: "-a -q -l -n= --all --quiet --format= --filter= -f= --no-trunc -s --size"},
		"images":  {operands: texts, options: "-a -q --all --quiet --format= --filter= -f= --no-trunc"},
		"logs":    {operands: texts, options: "-f -t -n= --follow --tail= --timestamps --since= --until="},
		"inspect": {operands: texts, options: "-f= --format= -s --size"},
		"version": {operands: texts}, "info": {operands: texts},
		"top": {operands: texts}, "stats": {operands: texts, options: "--no-stream --all -a --format="},
		"start": {operands: texts}, "stop": {operands: texts, options: "-t= --time="}, "restart": {operands: texts},
		"compose": {operands: texts, also: requireSubCommand(1)},
		"run":     {operands: lines, also: named}, "exec": {operands: lines, also: named},
	}},
	"docker-compose": {network: true, operands: texts, also: requireSubCommand(1)},
	"kubectl oc": {network: true, operands: texts, also: containers, commands: map[string]*program{
		"get":      {operands: texts, options: "-n= -o= -l= -A -w --namespace= --output= --selector= --all-namespaces --watch --show-labels --no-headers --sort-by= --field-selector="},
		"describe": {operands: texts, options: "-n= -l= -A --namespace= --selector= --all-namespaces"},
		"logs":     {operands: texts, options: "-n= -c= -f -l= -p --namespace= --container= --follow --tail= --since= --previous --selector= --timestamps --all-containers"},
		"version":  {operands: texts, options: "--client -o= --output="},
		"exec":     {operands: lines, also: named},
	}},
	"helm terraform tofu pulumi ansible ansible-playbook aws gcloud az heroku vercel netlify fly flyctl wrangler firebase doctl": {network: true, operands: texts, also: requireSubCommand(2)},
	"mail mailx":               {network: true, operands: texts, never: "it sends what it reads", opaque: WhyRunsInput},
	"sendmail mutt-send msmtp": {network: true, operands: texts, never: "it sends what it reads"},
}

// hosts handles operands that name a place on another machine.
func hosts(c *Call, u use) {
	proxied(c, u.args)
	c.requireOperands(u, func(w Word) bool { return strings.Contains(w.Text, ":") })
}

// proxied handles options of ssh, and of programs that start it, that name
// programs to run.
func proxied(c *Call, args []argument) {
	for _, a := range args {
		switch {
		case a.option == "-o" && (!a.value.Known || holdsAny(strings.ToLower(a.value.Text), "command", "provider", "include", "match", "askpass", "xauth")),
			c.name == "ssh" && (a.option == "-F" || a.option == "-I"):
			c.requireWords(a.at)
			c.Evaluates(whyRunsNamed)
		}
	}
}

func holdsAny(s string, l ...string) bool {
	return slices.ContainsFunc(l, func(part string) bool { return strings.Contains(s, part) })
}

// curlArguments requires a rule to name values that are read from or written to a file,
// and file URLs.
func curlArguments(c *Call, u use) {
	c.series(u, 0)
	for _, a := range u.args {
		switch value := strings.ToLower(a.value.Text); {
		case a.option != "" && (strings.HasPrefix(value, "@") || strings.Contains(value, "%output")),
			a.option == "" && (strings.HasPrefix(value, "file:") || strings.ContainsAny(value, "{[")):
			c.requireWords(a.at)
		}
	}
}

// containers analyzes what runs in a container: rules that deny apply there
// too.
func containers(c *Call, _ use) {
	for i, w := range c.words {
		if i > 0 && w.Is("run", "exec") {
			for n := i + 1; n < len(c.words); n++ {
				if words := Leading(c.words[n:]); len(words) > 0 {
					c.p.Aliases = append(c.p.Aliases, words)
				}
				if name := Base(c.words[n]); c.line.programs[name] != nil || wrappers()[name].program != nil || changes()[name] != "" {
					c.lookalike(c.words[n:])
					return
				}
			}
			return
		}
	}
}
