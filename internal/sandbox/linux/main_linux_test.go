package linux_test

import (
	"testing"

	"github.com/emendo-dev/emendo/internal/sandbox/attacktest"
)

func TestMain(m *testing.M) { attacktest.Main(m) }
