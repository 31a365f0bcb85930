// Command vet runs the checks of go vet. It reads everything that the packages import
// from source; go vet compiles it first, which takes minutes for another system.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"
	"golang.org/x/tools/go/analysis/suite/vet"
)

func main() { multichecker.Main(vet.Suite...) }
