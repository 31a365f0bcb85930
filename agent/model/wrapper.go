package model

// A Wrapper is a generator that adds something to another one.
type Wrapper interface {
	// Unwrap returns the other one.
	Unwrap() Generator
}

// As finds the first generator that implements T in a chain of wrappers, such as a
// [Lister]. It reports false if there is none.
func As[T any](g Generator) (T, bool) {
	for g != nil {
		if t, ok := g.(T); ok {
			return t, true
		}
		w, ok := g.(Wrapper)
		if !ok {
			break
		}
		g = w.Unwrap()
	}
	var none T
	return none, false
}
