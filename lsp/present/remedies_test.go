package present_test

import (
	"testing"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
	"github.com/emendo-dev/emendo/agent/view"
)

// A notice offers what helps against what it says, which only the client can do.
func TestANoticeOffersWhatHelps(t *testing.T) {
	play(t, []modeltest.Reply{{modeltest.Fail(model.Overflow)}}, func(d *drawing) {
		id := d.Session(nil)
		d.get(id)
		wait := d.Prompting(d.Context(), id, "Hi")
		_, _ = wait()
		for _, i := range d.fold.Items() {
			if i.Title.Code != "notice.context_overflow" {
				continue
			}
			if len(i.Actions) != 1 || len(i.Actions[0].Steps) != 1 || i.Actions[0].Steps[0].Client != view.ClientModel {
				t.Errorf("the notice offers %+v", i.Actions)
			}
			return
		}
		t.Errorf("there is no notice in %+v", d.fold.Items())
	})
}
