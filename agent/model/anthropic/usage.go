package anthropic

import (
	"encoding/json"

	"github.com/emendo-dev/emendo/agent/model"
)

// counts are the API's counts. Those of a later event replace those before, as far as it
// has them.
type counts struct {
	Input   int64 `json:"input_tokens"`
	Created int64 `json:"cache_creation_input_tokens"`
	Read    int64 `json:"cache_read_input_tokens"`
	Output  int64 `json:"output_tokens"`
	Details struct {
		Thought int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// usage translates the counts. The API counts cached tokens apart from the input,
// and thinking as output.
func (c counts) usage() model.Usage {
	in, out, thought := max(c.Input, 0)+max(c.Created, 0)+max(c.Read, 0), max(c.Output, 0), max(c.Details.Thought, 0)
	return model.Usage{
		Input: in, Cached: max(c.Read, 0),
		Output: max(out-thought, 0), Thought: thought,
		Total: in + max(out, thought),
	}
}

// count takes the counts of an event, in JSON.
func (s *stream) count(usage string) {
	_ = json.Unmarshal([]byte(usage), &s.counts) // what is no number is left out
	s.usage = s.resumed.Add(s.counts.usage())
}
