package provider

import "github.com/emendo-dev/emendo/agent/model"

func (m *Models) anthropic(access) (model.Generator, error) {
	return nil, &model.Error{Kind: model.NotFound, Message: "not built in yet"}
}
