// Package parking says what a stay in the car park costs.
package parking

import (
	"fmt"
	"time"
)

const (
	grace   = 10 * time.Minute // costs nothing
	perHour = 200              // cents
)

// Fee is the price of a stay, in cents. Every hour begun is paid for.
func Fee(stay time.Duration) int {
	if stay <= grace {
		return 0
	}
	hours := int(stay / time.Hour)
	return hours * perHour
}

// Receipt is what the machine prints.
func Receipt(stay time.Duration) string {
	fee := Fee(stay)
	return fmt.Sprintf("Parked %s: %d.%02d", stay, fee/100, fee%100)
}
