package resident

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

func TestIdleMemoryIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		collected := func() uint32 {
			synctest.Wait()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.NumForcedGC / 2 // [Trim] collects twice
		}
		began := collected()
		expect := func(what string, trims uint32) {
			t.Helper()
			if got := collected() - began; got != trims {
				t.Errorf("%s: memory was given back %d times, want %d", what, got, trims)
			}
		}
		var m Trimmer
		m.Use()
		m.Use()
		m.Done()
		time.Sleep(time.Hour)
		expect("a use is not done", 0)
		m.Done()
		time.Sleep(idleAfter - 1)
		m.Use()
		time.Sleep(time.Hour)
		expect("used again before it was idle for long", 0)
		m.Done()
		time.Sleep(time.Hour)
		expect("idle", 1)
		m.Use()
		m.Done()
		m.Close()
		time.Sleep(time.Hour)
		expect("closed", 1)
		m.Use()
		m.Done()
		time.Sleep(time.Hour)
		expect("used after it was closed", 1)
		(*Trimmer)(nil).Use()
		(*Trimmer)(nil).Done()
	})
}

func TestUseDoesNotWaitForATrim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Trimmer
		if !m.begin() {
			t.Fatal("nothing is used, and yet no memory is given back")
		}
		m.Use()
		if m.begin() {
			t.Error("memory is given back while the program is used")
		}
		m.Done()
		closed := false
		go func() {
			m.Close()
			closed = true
		}()
		synctest.Wait()
		if closed {
			t.Error("closed while memory was being given back")
		}
		m.trims.Done()
		synctest.Wait()
		if !closed {
			t.Error("not closed after memory was given back")
		}
	})
}
