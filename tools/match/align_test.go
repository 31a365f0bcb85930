package match

import (
	"slices"
	"strings"
	"testing"
)

func TestAlign(t *testing.T) {
	tests := []struct {
		name, a, b string
		want       []int
	}{
		{"equal", "a b c", "a b c", []int{0, 1, 2}},
		{"one more", "a c", "a b c", []int{0, -1, 1}},
		{"one less", "a b c", "a c", []int{0, 2}},
		{"nothing in common", "a b", "c d", []int{-1, -1}},
		{"repeated", "x a x b x", "x b x", []int{2, 3, 4}},
		{"swapped", "a b", "b a", []int{1, -1}},
		{"nothing at all", "", "", []int{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := strings.Fields(tt.a), strings.Fields(tt.b)
			got := align(a, b)
			common := func(to []int) (n int) {
				for _, i := range to {
					if i >= 0 {
						n++
					}
				}
				return n
			}
			if common(got) != common(tt.want) {
				t.Errorf("got %v, want as many as %v", got, tt.want)
			}
			last := -1
			for j, i := range got {
				if i >= 0 && (a[i] != b[j] || i <= last) {
					t.Errorf("%v pairs %q with %q", got, a[i], b[j])
				}
				last = max(last, i)
			}
		})
	}
}

func TestFill(t *testing.T) {
	for _, tt := range []struct {
		to   []int
		lenA int
		want []int
	}{
		{[]int{0, -1, 2}, 3, []int{0, 1, 2}},
		{[]int{0, -1, -1, 2}, 3, []int{0, 1, -1, 2}},
		{[]int{-1, -1}, 1, []int{0, -1}},
		{[]int{-1, 0}, 1, []int{-1, 0}},
	} {
		if got := pairReplaced(tt.to, tt.lenA); !slices.Equal(got, tt.want) {
			t.Errorf("fill(%v, %d) = %v, want %v", tt.to, tt.lenA, got, tt.want)
		}
	}
}

func TestSearchOverlapping(t *testing.T) {
	if got := search(strings.Fields("a b a b a"), strings.Fields("a b a")); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("got %v", got)
	}
}
