package ledger_test

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/ide/ledger"
)

// An editor may open and change documents while the server starts, which makes the ledger.
func TestDocumentsChangeWhileTheLedgerIsMade(t *testing.T) {
	const uri = "untitled:a"
	const patience = time.Minute
	for range 300 {
		w := ide.NewWorkspace(nil, ide.UTF8)
		w.Open(uri, "go", 1, "")
		typing, made, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(over)
			for v := int32(2); ; v++ {
				if err := w.Change(uri, v, []ide.Change{{Text: "x"}}); err != nil {
					t.Error(err)
				}
				if v == 2 {
					close(typing)
				}
				select {
				case <-made:
					return
				default:
				}
			}
		}()
		<-typing
		go func() {
			defer close(made)
			ledger.New(ledger.Options{Workspace: w, NewID: rand.Text}).Close()
		}()
		select {
		case <-over:
		case <-time.After(patience):
			t.Fatal("the ledger and a change of a document wait for each other")
		}
	}
}
