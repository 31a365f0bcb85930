package program

import (
	"regexp"
	"slices"
	"sync"
)

// loopback matches an address of one of this machine's servers: what programs read in
// different ways is not among them.
var loopback = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:https?://)?(?i:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::[0-9]{1,5})?(?:[/?#][^\s\\@]*)?$`)
})

// localHost matches a name or address of this machine that a socket of bash connects to.
var localHost = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?i:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]|::1)$`)
})

// settled holds the options of curl and wget that do not choose what they connect to.
var settled = map[string]*program{
	"curl": {options: `-X= --request= -d= --data= --data-raw= --data-binary= --data-urlencode= --json= -H= --header= -o= --output= -w= --write-out= -m= --max-time= --connect-timeout= -A= --user-agent=
		-u= --user= -F= --form= -b= --cookie= -c= --cookie-jar= -e= --referer= -T= --upload-file= --retry= --retry-delay= --retry-max-time= --url-query= -D= --dump-header=
		-s --silent -S --show-error -L --location -f --fail --fail-with-body -i --include -I --head -v --verbose -k --insecure -N --no-buffer -G --get -g --globoff -4 --ipv4 -6 --ipv6
		-O --remote-name -J --remote-header-name --create-dirs --compressed --http1.0 --http1.1 --http2 --tlsv1.2 --tlsv1.3 --retry-connrefused --retry-all-errors --fail-early --next
		-# --progress-bar --no-progress-meter --no-keepalive --tcp-nodelay --path-as-is --raw --basic --digest`},
	"wget": {options: `-O= --output-document= -o= --output-file= -P= --directory-prefix= -T= --timeout= -t= --tries= -U= --user-agent= -w= --wait= --header= --post-data= --post-file= --method= --body-data= --body-file=
		-q --quiet -v --verbose -n? --no-verbose -S --server-response --spider -4 -6 --no-check-certificate --content-on-error --retry-connrefused --no-proxy
		-c --continue -N --timestamping --no-clobber --no-cache --no-cookies --show-progress --save-headers --content-disposition`},
}

// OnlyLocal reports whether the words after the name of curl or wget name only addresses of
// this machine. With an option that is not listed it is not known.
func OnlyLocal(name string, words []Word) bool {
	t := settled[name]
	if t == nil || slices.ContainsFunc(words, func(w Word) bool { return !w.Known }) {
		return false
	}
	args, _ := t.arguments(words, 0)
	elsewhere := func(a argument) bool { return !a.listed && (a.option != "" || !loopback().MatchString(a.value.Text)) }
	return len(use{args: args}.operands()) > 0 && !slices.ContainsFunc(args, elsewhere)
}
