package match

import "testing"

func TestIsSlip(t *testing.T) {
	tests := []struct {
		name, typed, meant string
		want               bool
	}{
		{"letters swapped", "warehuoses", "warehouses", true},
		{"a letter lost", "warehoses", "warehouses", true},
		{"a letter doubled", "warehoouses", "warehouses", true},
		{"one of a double letter lost", "coridors", "corridors", true},
		{"inside a hump", "getTransactoinList", "getTransactionList", true},
		{"inside a part between underscores", "max_attempst_left", "max_attempts_left", true},
		{"a plural", "header", "headers", false},
		{"a plural inside", "headerList", "headersList", false},
		{"a last letter doubled", "optionss", "options", false},
		{"a first letter lost", "ransaction", "transaction", false},
		{"another letter", "warezouses", "warehouses", false},
		{"a letter too many", "warehouxses", "warehouses", false},
		{"a short word", "form", "from", false},
		{"a short hump of a long name", "formDatabase", "fromDatabase", false},
		{"digits", "version12beta", "version21beta", false},
		{"case", "Calculate", "calculate", false},
		{"two slips", "waerhouess", "warehouses", false},
		{"the same", "calculate", "calculate", false},
		{"nothing", "", "calculate", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := isSlip(tt.typed, tt.meant); got != tt.want {
				t.Errorf("isSlip(%q, %q) = %v", tt.typed, tt.meant, got)
			}
		})
	}
}

func TestMisspellingIsNotAWordOfTheFile(t *testing.T) {
	text := "casual := 1\ncausal := 2\nf(causal)\n"
	if f, err := Find(text, "f(casual)", "g(casual)", false); err == nil {
		t.Errorf("edits %v", f.Edits)
	}
}
