package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/emendo-dev/emendo/tools"
	"github.com/emendo-dev/emendo/tools/web/address"
)

// cited returns an answer with the numbers of its sources behind the claims that
// they support, and a list of the sources below, which it counts.
func cited(f tools.Found) (text string, sources int) {
	numbers, list := numbered(f.Sources)
	marks := map[int][]int{} // numbers of sources, by where they go
	for _, c := range f.Claims {
		end, ok := place(f.Text, c)
		if !ok {
			continue
		}
		for _, i := range c.Sources {
			if i >= 0 && i < len(numbers) && numbers[i] > 0 && !slices.Contains(marks[end], numbers[i]) {
				marks[end] = append(marks[end], numbers[i])
			}
		}
	}
	var ends []int
	for end := range marks {
		ends = append(ends, end)
	}
	slices.SortFunc(ends, func(a, b int) int { return cmp.Compare(b, a) }) // from the end, so that offsets stay valid
	text = f.Text
	for _, end := range ends {
		slices.Sort(marks[end])
		var m strings.Builder
		for _, n := range marks[end] {
			fmt.Fprintf(&m, "[%d]", n)
		}
		text = text[:end] + m.String() + text[end:]
	}
	text = strings.TrimSpace(text)
	if len(list) > 0 {
		text += "\n\nSources:\n" + strings.Join(list, "\n")
	}
	return text, len(list)
}

// numbered returns the number of each source, counted from 1, and the list of
// them. One without an address has the number 0, and the same page has one number.
func numbered(sources []tools.Source) (numbers []int, list []string) {
	known := map[string]int{}
	for _, s := range sources {
		if s.URL != "" && known[s.URL] == 0 {
			known[s.URL] = len(list) + 1
			title := tools.ShownLine(s.Title, 200)
			list = append(list, strings.Join(strings.Fields(fmt.Sprintf("[%d] %s %s", known[s.URL], title, tools.ShownLine(s.URL, address.Max))), " "))
		}
		numbers = append(numbers, known[s.URL])
	}
	return numbers, list
}

// place returns where a claim ends in a text. If its offset is not where its own
// words end, the words decide; false if they are not there either.
func place(text string, c tools.Claim) (end int, ok bool) {
	if c.End > 0 && c.End <= len(text) && (c.End == len(text) || utf8.RuneStart(text[c.End])) && strings.HasSuffix(text[:c.End], c.Text) {
		return c.End, true
	}
	if i := strings.Index(text, c.Text); c.Text != "" && i >= 0 {
		return i + len(c.Text), true
	}
	return 0, false
}
