//go:build editors

package e2e

// parking is the project of the tests: the tariff of a car park, which wrongly ignores
// a started hour.
var parking = map[string]string{
	"go.mod": "module example.com/parking\n\ngo 1.21\n",
	"fee.go": `// Package parking computes what drivers pay.
package parking

import "fmt"

const (
	freeMinutes = 15
	perHour     = 200 // cents
	perDay      = 1800
)

// Fee is the price of parking for so many minutes, in cents.
func Fee(minutes int) int {
	if minutes <= freeMinutes {
		return 0
	}
	hours := minutes / 60
	days := hours / 24
	return days*perDay + (hours%24)*perHour
}

// Receipt is what the machine prints.
func Receipt(minutes int) string {
	cents := Fee(minutes)
	return fmt.Sprintf("Paid %d.%02d", cents/100, cents%100)
}
`,
	"fee_test.go": `package parking

import "testing"

func TestFee(t *testing.T) {
	for minutes, want := range map[int]int{10: 0, 60: 200, 90: 400, 1440: 1800} {
		if got := Fee(minutes); got != want {
			t.Errorf("Fee(%d) = %d, want %d", minutes, got, want)
		}
	}
}
`,
}
