package definition

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Bounds of front matter. It is read before its folder is trusted, and a reader of
// YAML takes longer for deep nesting than its length says.
const (
	maxMatter = 16 << 10 // bytes
	maxNested = 64       // brackets that are open at a time, and dashes of one line
)

// Decode decodes the YAML of front matter. Aliases are errors: a few lines of them
// stand for any amount of text.
func Decode(matter string, into any, options ...yaml.DecodeOption) error {
	if len(matter) > maxMatter {
		return fmt.Errorf("its front matter is longer than %d KiB", maxMatter>>10)
	}
	for line := range strings.Lines(matter) {
		if strings.Count(line, "- ") > maxNested {
			return errNested
		}
	}
	if strings.Count(matter, "[")+strings.Count(matter, "{") > 8*maxNested {
		return errNested
	}
	open := 0
	for _, t := range lexer.Tokenize(matter) {
		switch t.Type { //nolint:exhaustive // the others do not nest
		case token.AliasType:
			return fmt.Errorf("line %d: aliases are not supported", t.Position.Line)
		case token.SequenceStartType, token.MappingStartType:
			if open++; open > maxNested {
				return errNested
			}
		case token.SequenceEndType, token.MappingEndType:
			open--
		}
	}
	return yaml.UnmarshalWithOptions([]byte(matter), into, options...)
}

var errNested = errors.New("its front matter is nested too deeply")
