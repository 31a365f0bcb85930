package loop

import "strings"

// When a text counts as repeating itself. As in Gemini CLI, in characters.
const (
	passage     = 50   // length of a passage
	often       = 10   // occurrences of the passage
	farthest    = 250  // maximum average distance between occurrences
	variants    = 5    // maximum number of different texts between occurrences: a list has more
	remembered  = 5000 // how much of the text is searched
	longestTold = 200  // of the passage, in messages to the user and the model
)

// words searches a model's text for a repeated passage. The zero value is ready to use.
type words struct {
	line line
	text []rune // prose since the last reset, cut to what is remembered
	from int    // offset of its first character
	seen map[[passage]rune]places
}

// places has the last offsets of a passage, without overlaps.
type places struct {
	n  int
	at [often]int // the n-th is in at[n % often]
}

// add checks a piece of text and returns the repeated text if there is one.
//
// Code, tables, lists, headings and rules repeat themselves for good reasons. Code and
// rules are skipped, and the search restarts with each line of the others.
func (w *words) add(delta string) (repeated string, chants bool) {
	for _, r := range delta {
		said, fresh := w.line.add(r)
		if fresh {
			w.text, w.from, w.seen = nil, 0, nil
		}
		for _, r := range said {
			if at := w.addProse(r); at != nil {
				return w.between(at), true
			}
		}
	}
	return "", false
}

// addProse adds a character. It returns the places of the passage that ends with it if they
// make a loop.
func (w *words) addProse(r rune) []int {
	w.text = append(w.text, r)
	if len(w.text) > 2*remembered {
		w.forget()
	}
	if len(w.text) < passage {
		return nil
	}
	if w.seen == nil {
		w.seen = map[[passage]rune]places{}
	}
	p := [passage]rune(w.text[len(w.text)-passage:])
	here := w.from + len(w.text) - passage
	s := w.seen[p]
	if s.n > 0 && here-s.at[(s.n-1)%often] < passage {
		return nil // it overlaps the last one
	}
	s.at[s.n%often] = here
	s.n++
	w.seen[p] = s
	if s.n < often {
		return nil
	}
	at := append(append([]int{}, s.at[s.n%often:]...), s.at[:s.n%often]...)
	if at[often-1]-at[0] > (often-1)*farthest || !w.alike(at) {
		return nil
	}
	return at
}

// alike reports whether there are few different texts between the places.
func (w *words) alike(at []int) bool {
	between := map[string]bool{}
	for i := 1; i < len(at); i++ {
		between[string(w.text[at[i-1]-w.from:at[i]-w.from])] = true
	}
	return len(between) <= variants
}

// forget drops text that is too far back.
func (w *words) forget() {
	drop := len(w.text) - remembered
	w.text = append([]rune(nil), w.text[drop:]...)
	w.from += drop
	for p, s := range w.seen {
		if s.at[(s.n-1)%often] < w.from {
			delete(w.seen, p)
		}
	}
}

// between returns the text between the last two places.
func (w *words) between(at []int) string {
	text := w.text[at[often-2]-w.from : at[often-1]-w.from]
	if len(text) > longestTold {
		text = append(append([]rune(nil), text[:longestTold]...), '…')
	}
	return strings.TrimSpace(string(text))
}
