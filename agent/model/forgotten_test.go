package model_test

import (
	"fmt"
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
)

func TestForgottenIsBounded(t *testing.T) {
	var f model.Forgotten
	if f.Has("a") {
		t.Error("the zero value has something")
	}
	f.Add("a", "b")
	if !f.Has("a") || !f.Has("b") || f.Has("c") {
		t.Error("it does not have what was added, or more")
	}
	for i := range 10_000 {
		f.Add(fmt.Sprint(i))
	}
	if f.Has("a") || !f.Has("9999") {
		t.Error("it keeps everything, or loses the latest")
	}
}
