package model

// Family are the models of one generation of Gemini that stand in for each
// other.
type Family struct {
	Strong string // for most work
	Fast   string // for what has been thought out
	Lite   string // for small questions beside a conversation
}

// The families. Every key of the Gemini API has the models of Gemini25; the
// previews of Gemini3 some keys have not.
var (
	Gemini25 = Family{"gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite"}
	Gemini3  = Family{"gemini-3.1-pro-preview", "gemini-3-flash-preview", "gemini-3.1-flash-lite"}
)

// The names that leave the choice of the model to emendo.
const (
	Auto         = "auto"
	AutoGemini25 = "auto-gemini-2.5"
	AutoGemini3  = "auto-gemini-3"
)

// Automatic gives the family that a name leaves the choice in; false for a name
// that says which model it is.
func Automatic(name string) (Family, bool) {
	switch plain(name) {
	case Auto, AutoGemini25:
		return Gemini25, true
	case AutoGemini3:
		return Gemini3, true
	}
	return Family{}, false
}

// Spelled gives the model that a short name stands for; an automatic choice is
// taken to be its strong model. Another name stands for itself.
func Spelled(name string) string {
	if f, ok := Automatic(name); ok {
		return f.Strong
	}
	switch plain(name) {
	case "pro":
		return Gemini25.Strong
	case "flash":
		return Gemini25.Fast
	case "flash-lite":
		return Gemini25.Lite
	}
	return name
}

// FamilyOf gives the family that a Gemini model belongs to; false for models
// of others.
func FamilyOf(name string) (Family, bool) {
	bare := plain(Spelled(name))
	switch {
	case plain(name) == AutoGemini3, isGemini3.MatchString(bare):
		return Gemini3, true
	case isGemini.MatchString(bare):
		return Gemini25, true
	}
	return Family{}, false
}
