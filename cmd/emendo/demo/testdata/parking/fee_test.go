package parking

import (
	"testing"
	"time"
)

func TestFee(t *testing.T) {
	for stay, want := range map[time.Duration]int{
		5 * time.Minute:  0,
		60 * time.Minute: 250,
		90 * time.Minute: 500,
	} {
		if got := Fee(stay); got != want {
			t.Errorf("Fee(%v) is %d cents, want %d", stay, got, want)
		}
	}
}

func TestReceipt(t *testing.T) {
	got, want := Receipt(90*time.Minute), "Parked 1h30m0s: 5.00"
	if got != want {
		t.Errorf("the receipt says %q, want %q", got, want)
	}
}
