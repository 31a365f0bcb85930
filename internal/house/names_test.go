package house

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// longestVague is how many letters the name of a function may have without saying what it
// does: with more there is room for the field's words.
const longestVague = 4

// idiom are the words of at most that many letters by which readers know what a function of
// Go, or of this field, does. Case does not count.
var idiom = strings.Fields(`
	acp act a2a add all args ask at bind blob body call code copy cost cut data dial diff do done drop edit emit end
	env err exec fail feed file fill find fold fork from get git glob go has hash head help hook host hunk id info init is item
	join json key kill kind last left len less line link list load lock log lsp main make mark mask max mcp meta min mode
	move name new next node note of on open pair part path peek pid pipe plan poll pop port push put rank read redo
	role root row run rows rule save scan seek send set show sign size sort span spec stat step stop sum swap sync tail
	task temp test text then tick time tls to tool tree trim turn undo uri url use user view wait wake walk warn with zero`)

// vagueNames is how many functions of the product have a short name outside idiom. It only
// becomes smaller.
const vagueNames = 135

// namesSayWhat returns the rule that counts short names of functions outside idiom.
func namesSayWhat(most int) func(tree) []string {
	return func(t tree) []string {
		var at []string
		for _, s := range t.product() {
			for _, d := range s.syntax.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && len(f.Name.Name) <= longestVague && !slices.Contains(idiom, strings.ToLower(f.Name.Name)) {
					at = append(at, path.Dir(s.path)+"."+f.Name.Name)
				}
			}
		}
		if len(at) <= most {
			return nil
		}
		slices.Sort(at)
		return []string{fmt.Sprintf("%d functions have a name of at most %d letters that is no idiom, more than %d: say what they do in the field's words (%s)", len(at), longestVague, most, strings.Join(at, ", "))}
	}
}
