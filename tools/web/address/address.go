// Package address reads addresses of the web and brings each into one form, in which the
// user reads it, rules compare it, and it is fetched. It sends nothing.
package address

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/emendo-dev/emendo/internal/sandbox/proxy"
	"github.com/emendo-dev/emendo/internal/visible"
	"github.com/emendo-dev/emendo/tools"
)

// Max bounds an address, in bytes: the user reads it before it is sent.
const Max = 2000

// candidates matches what may be an address in a text: a scheme, and everything
// up to a character that no address has.
var candidates = regexp.MustCompile("(?i)[a-z][a-z0-9+.-]*://[^\\s<>\"`{}|\\\\^]+")

// In returns the addresses in a text, each once, in order. A scheme that
// is not fetched is an error.
func In(text string) ([]*url.URL, error) {
	var l []*url.URL
	seen := map[string]bool{}
	for _, s := range candidates.FindAllString(text, -1) {
		u, err := Parse(withoutPunctuation(s))
		if err != nil {
			return nil, err
		}
		if !seen[u.String()] {
			seen[u.String()] = true
			l = append(l, u)
		}
	}
	return l, nil
}

// plain matches what may be an address without a scheme: a host's name that has a dot, and
// a path.
const plain = "(?i)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+[a-z][a-z0-9-]*[a-z0-9](?::[0-9]+)?(?:[/?][^\\s<>\"`{}|\\\\^]*)?"

// Named returns the addresses that somebody's words name, with or without a scheme, in one
// form, each once. What is no valid address is left out. Who names an address names it by
// https too.
func Named(text string) []string {
	var l []string
	add := func(s string) {
		u, err := Parse(withoutPunctuation(s))
		if err != nil || slices.Contains(l, u.String()) {
			return
		}
		l = append(l, u.String())
		if u.Scheme == "http" && u.Port() == "" {
			u.Scheme = "https"
			l = append(l, u.String())
		}
	}
	for _, s := range candidates.FindAllString(text, -1) {
		add(s)
	}
	for _, s := range regexp.MustCompile(plain).FindAllString(candidates.ReplaceAllString(text, " "), -1) {
		add(s)
	}
	return l
}

// withoutPunctuation removes what belongs to the sentence around an address:
// punctuation at its end, and a bracket that it does not open.
func withoutPunctuation(s string) string {
	for {
		cut := strings.TrimRight(s, ".,;:!?'*")
		for _, pair := range []string{"()", "[]"} {
			if strings.HasSuffix(cut, pair[1:]) && strings.Count(cut, pair[:1]) < strings.Count(cut, pair[1:]) {
				cut = cut[:len(cut)-1]
			}
		}
		if cut == s {
			return s
		}
		s = cut
	}
}

// Parse checks an address and returns it in one form: the host in lower
// case and ASCII, without the usual port and without a fragment, and for a page
// of a file on GitHub the file itself. Without a scheme it means https. The error
// is for the model.
func Parse(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if len(s) > Max {
		return nil, fmt.Errorf("the address %s has %d bytes; the limit is %d", visible.Short(tools.Shown(s), 80), len(s), Max)
	}
	if !strings.Contains(s, "://") {
		s = "https://" + s
	}
	bad := func(why string) (*url.URL, error) {
		return nil, fmt.Errorf("invalid address %s: %s", tools.Shown(s), why)
	}
	u, err := url.Parse(s)
	if err != nil {
		var in *url.Error
		if errors.As(err, &in) {
			err = in.Err
		}
		return bad(err.Error())
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("only http and https are fetched")
	case u.User != nil:
		return nil, errors.New("an address contains a user name or password, which is never sent; remove it")
	}
	host, err := plainHost(u.Hostname())
	if err != nil {
		return bad(err.Error())
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		host += ":" + port
	}
	u.Host, u.Fragment, u.RawFragment, u.RawQuery = host, "", "", plainQuery(u.RawQuery)
	if u.Path == "" {
		u.Path = "/"
	}
	return rawFile(u), nil
}

// plainHost returns a host's name in lower case and ASCII, without a last dot, or
// its IP address in the usual notation, whatever the notation given.
func plainHost(host string) (string, error) {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if !strings.Contains(host, ":") && strings.ContainsFunc(host, func(r rune) bool { return r > 0x7f }) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", errors.New("invalid host name")
		}
		host = ascii
	}
	if a, is := proxy.Literal(host); is {
		if !a.IsValid() {
			return "", errors.New("the host ends in a number and is no IP address")
		}
		return a.String(), nil
	}
	if host == "" || len(host) > 253 || strings.Trim(host, "abcdefghijklmnopqrstuvwxyz0123456789-_.") != "" {
		return "", errors.New("invalid host name")
	}
	return host, nil
}

// plainQuery escapes what a query may contain and an address does not show.
func plainQuery(q string) string {
	var b strings.Builder
	for _, c := range []byte(q) {
		if c <= ' ' || c > '~' || c == '`' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// rawFile returns where GitHub has the file that a page shows; another address
// as it is.
func rawFile(u *url.URL) *url.URL {
	parts := strings.SplitN(strings.TrimPrefix(u.EscapedPath(), "/"), "/", 5)
	if u.Host != "github.com" && u.Host != "www.github.com" || len(parts) < 5 || parts[2] != "blob" || parts[4] == "" {
		return u
	}
	raw, err := url.Parse("https://raw.githubusercontent.com/" + parts[0] + "/" + parts[1] + "/" + parts[3] + "/" + parts[4])
	if err != nil {
		return u
	}
	return raw
}

// Local reports whether an address names this machine or a network that is not
// public, as far as the address alone tells.
func Local(u *url.URL) bool {
	host := u.Hostname()
	if a, is := proxy.Literal(host); is {
		return !proxy.Public(a)
	}
	name := host[strings.LastIndexByte(host, '.')+1:]
	return name == "localhost" || name == "Local" || name == "internal" // reserved for that
}

// SameSite reports whether a redirect to a host stays with what was approved:
// the host itself, or its name with or without "www.".
func SameSite(from, to *url.URL) bool {
	plain := func(u *url.URL) string { return strings.TrimPrefix(u.Hostname(), "www.") }
	return plain(from) == plain(to)
}
