package sessiontest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/emendo-dev/emendo/tools/web/webtest"
)

// site reads the section web: for each page, its address and then the server's
// answer.
func site(text string) (webtest.Site, error) {
	all := webtest.Site{}
	for _, block := range blocks(text) {
		p := webtest.Page{Header: http.Header{}}
		for _, l := range block[1:] {
			verb, rest := word(l)
			var err error
			switch verb {
			case "print":
				rest, err = unquoted(rest)
				p.Body += rest + "\n"
			case "repeat":
				rest, err = repeated(rest)
				p.Body += rest
			case "status":
				p.Status, err = strconv.Atoi(rest)
			case "header":
				name, value, _ := strings.Cut(rest, ": ")
				p.Header.Add(name, value)
			default:
				err = fmt.Errorf("a page cannot %s", verb)
			}
			if err != nil {
				return nil, fmt.Errorf("page %s: %q: %w", block[0], l, err)
			}
		}
		all[block[0]] = p
	}
	return all, nil
}
