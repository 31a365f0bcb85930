package loop

import "strings"

// When a text is taken for a chant. The figures are those of Gemini CLI, in
// characters.
const (
	passage     = 50   // the length of what is looked for
	often       = 10   // how many times it has to stand in the text
	farthest    = 250  // apart at most, on average
	variants    = 5    // of texts between two occurrences, at most: a list differs in each line
	remembered  = 5000 // how much of the text is looked at
	longestTold = 200  // of the passage that the user and the model are told
)

// words look for a passage that comes again and again in what a model says.
// The zero value has seen nothing.
type words struct {
	line line
	text []rune // what was said since the last reset, cut to what is remembered
	from int    // the place of its first character
	seen map[[passage]rune]places
}

// places are where a passage stands: the last of them, without overlap.
type places struct {
	n  int
	at [often]int // the n-th is in at[n % often]
}

// add takes in a piece of text. When a passage in it makes a chant, the text
// that is repeated is given.
//
// Code, tables, lists, headings and rules repeat themselves for good reasons.
// Code and rules are not looked at; with each line of the others the search
// begins anew.
func (w *words) add(delta string) (repeated string, chants bool) {
	for _, r := range delta {
		said, anew := w.line.add(r)
		if anew {
			w.text, w.from, w.seen = nil, 0, nil
		}
		for _, r := range said {
			if at := w.say(r); at != nil {
				return w.told(at), true
			}
		}
	}
	return "", false
}

// say takes in a character, and gives the places of the passage that ends with
// it when these make a chant.
func (w *words) say(r rune) []int {
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

// alike says whether the texts from one place to the next are few.
func (w *words) alike(at []int) bool {
	between := map[string]bool{}
	for i := 1; i < len(at); i++ {
		between[string(w.text[at[i-1]-w.from:at[i]-w.from])] = true
	}
	return len(between) <= variants
}

// forget drops what lies too far back.
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

// told is the text from the last place but one to the last.
func (w *words) told(at []int) string {
	text := w.text[at[often-2]-w.from : at[often-1]-w.from]
	if len(text) > longestTold {
		text = append(append([]rune(nil), text[:longestTold]...), '…')
	}
	return strings.TrimSpace(string(text))
}
