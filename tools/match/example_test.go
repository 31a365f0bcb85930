package match_test

import (
	"fmt"

	"github.com/emendo-dev/emendo/tools/match"
)

// Find recognizes a passage whose indentation the model got wrong, and keeps the
// indentation of the file.
func ExampleFind() {
	text := "func f() int {\n\treturn 1\n}\n"
	found, err := match.Find(text, "    return 1\n", "    return 2\n", false)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%q\n", found.Apply(text))
	// Output:
	// "func f() int {\n\treturn 2\n}\n"
}
