package program

import (
	"slices"
	"strings"
)

// archiveTable holds programs that pack and unpack.
var archiveTable = map[string]*program{
	"tar bsdtar": {also: tarArguments, options: "--to-command> -I> --use-compress-program> --rsh-command> -F> --info-script> --new-volume-script> --checkpoint-action= -t -v -z -j -J -f@ --list --verbose --gzip --bzip2 --xz --zstd --file@ --exclude= --strip-components= --wildcards --full-time --totals"},
	"unzip":      {options: "-l -t -v -Z -p", also: listing("-l", "-t", "-v", "-Z", "-p")},
	"zipinfo":    {options: "-1 -l -m -s -v"},
	"gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd": {operands: targets, options: "-c -d -f -k -l -n -q -r -t -v -1 -9 --stdout --decompress --keep --list --test --quiet --verbose"},
	"zcat bzcat xzcat zgrep":                        {options: "-i -n -v -c -l -e= -E -F"},
}

// tarArguments covers only listing an archive; a rule has to name any other call.
func tarArguments(c *Call, u use) {
	if len(c.words) < 2 {
		return
	}
	for _, a := range u.args {
		if a.option != "" && strings.HasPrefix("--checkpoint-action", a.option) && len(a.option) > len("--checkpoint") {
			c.requireWords(a.at)
			c.Evaluates(whyRunsNamed)
		}
	}
	if mode := c.words[1].Text; !strings.HasPrefix(mode, "-") && strings.ContainsAny(mode, "IF") {
		c.Evaluates(whyRunsNamed)
	}
	for i, w := range c.words {
		if strings.Contains(w.Text, ":") { // on another machine
			c.requireWords(i)
		}
	}
	mode := c.words[1].Text // tar xzf: the first word needs no dash
	if !strings.HasPrefix(mode, "-") {
		if strings.Trim(mode, "tvzjJf") != "" || !strings.Contains(mode, "t") {
			c.requireWords(1)
		}
		return
	}
	listing("-t", "--list")(c, u)
}

// listing handles programs that only read if one of the options is given.
func listing(options ...string) func(*Call, use) {
	return func(c *Call, u use) {
		if len(c.words) > 1 && !slices.ContainsFunc(u.args, func(a argument) bool { return slices.Contains(options, a.option) }) {
			c.requireWords(1)
		}
	}
}
