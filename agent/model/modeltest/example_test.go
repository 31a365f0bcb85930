package modeltest_test

import (
	"context"
	"fmt"

	"github.com/emendo-dev/emendo/agent/model"
	"github.com/emendo-dev/emendo/agent/model/modeltest"
)

func ExampleScript() {
	m := &modeltest.Script{Replies: []modeltest.Reply{{modeltest.Say("all "), modeltest.Say("done")}}}
	req := model.Request{Messages: []model.Message{{Role: model.User, Parts: []model.Part{model.Text{Text: "go on"}}}}}
	for chunk, err := range m.Stream(context.Background(), req) {
		fmt.Println(chunk.Parts, chunk.Finish, err)
	}
	fmt.Println(len(m.Requests()), "request")
	// Output:
	// [{all  [] false }]  <nil>
	// [{done [] false }]  <nil>
	// [] stop <nil>
	// 1 request
}
