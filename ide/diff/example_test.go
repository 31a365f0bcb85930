package diff_test

import (
	"fmt"

	"github.com/emendo-dev/emendo/ide/diff"
)

func ExampleUnified() {
	fmt.Print(diff.Unified("a/fee.go", "b/fee.go", "one\ntwo\nthree\n", "one\n2\nthree\n"))
	// Output:
	// --- a/fee.go
	// +++ b/fee.go
	// @@ -1,3 +1,3 @@
	//  one
	// -two
	// +2
	//  three
}
