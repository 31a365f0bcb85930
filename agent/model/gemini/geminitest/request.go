package geminitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// The request types, as far as an agent uses them. Fields that are not here are
// unknown; raw fields are not checked.
type request struct {
	Contents          []Content        `json:"contents"`
	SystemInstruction *Content         `json:"systemInstruction"`
	Tools             []tool           `json:"tools"`
	ToolConfig        *toolConfig      `json:"toolConfig"`
	SafetySettings    json.RawMessage  `json:"safetySettings"`
	GenerationConfig  generationConfig `json:"generationConfig"`
	CachedContent     string           `json:"cachedContent"`
	Labels            json.RawMessage  `json:"labels"`
	Model             string           `json:"model"`
}

type tool struct {
	FunctionDeclarations []declaration   `json:"functionDeclarations"`
	GoogleSearch         json.RawMessage `json:"googleSearch"`
	URLContext           json.RawMessage `json:"urlContext"`
	CodeExecution        json.RawMessage `json:"codeExecution"`
}

type declaration struct {
	Name                 string          `json:"name"`
	Description          string          `json:"description"`
	Parameters           json.RawMessage `json:"parameters"`
	ParametersJSONSchema json.RawMessage `json:"parametersJsonSchema"`
	Response             json.RawMessage `json:"response"`
	ResponseJSONSchema   json.RawMessage `json:"responseJsonSchema"`
	Behavior             string          `json:"behavior"`
}

type toolConfig struct {
	FunctionCallingConfig *struct {
		Mode                 string   `json:"mode"`
		AllowedFunctionNames []string `json:"allowedFunctionNames"`
	} `json:"functionCallingConfig"`
	RetrievalConfig json.RawMessage `json:"retrievalConfig"`
}

type generationConfig struct {
	Temperature        *float64        `json:"temperature"`
	TopP               *float64        `json:"topP"`
	TopK               *float64        `json:"topK"`
	CandidateCount     *int            `json:"candidateCount"`
	MaxOutputTokens    *int            `json:"maxOutputTokens"`
	StopSequences      []string        `json:"stopSequences"`
	Seed               *int            `json:"seed"`
	PresencePenalty    *float64        `json:"presencePenalty"`
	FrequencyPenalty   *float64        `json:"frequencyPenalty"`
	ResponseMIMEType   string          `json:"responseMimeType"`
	ResponseSchema     json.RawMessage `json:"responseSchema"`
	ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
	ResponseModalities []string        `json:"responseModalities"`
	ThinkingConfig     *thinkingConfig `json:"thinkingConfig"`
}

type thinkingConfig struct {
	IncludeThoughts bool   `json:"includeThoughts"`
	ThinkingBudget  *int   `json:"thinkingBudget"`
	ThinkingLevel   string `json:"thinkingLevel"`
}

// parse parses a body, and rejects fields that the API does not have.
func parse(body []byte) (*request, *Refusal) {
	var tree any
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := dec.Decode(&tree); err != nil {
		return nil, invalid("Invalid JSON payload received. %v", err)
	}
	var wrong []violation
	unknown(tree, reflect.TypeFor[request](), "", &wrong)
	if len(wrong) > 0 {
		return nil, badRequest(wrong)
	}
	in := &request{}
	if err := json.Unmarshal(body, in); err != nil {
		var mismatch *json.UnmarshalTypeError
		if errors.As(err, &mismatch) {
			return nil, invalid("Invalid value at '%s' (%s), %s", mismatch.Field, mismatch.Type, mismatch.Value)
		}
		return nil, invalid("Invalid JSON payload received. %v", err)
	}
	return in, nil
}

// violation is a field that the API does not have.
type violation struct {
	Field       string `json:"field"`
	Description string `json:"description"`
}

func badRequest(wrong []violation) *Refusal {
	lines := make([]string, len(wrong))
	for i, w := range wrong {
		lines[i] = w.Description
	}
	r := invalid("%s", strings.Join(lines, "\n"))
	r.Details = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": wrong}}
	return r
}

var rawType = reflect.TypeFor[json.RawMessage]()

// unknown collects the fields in v that t does not have. Names must match exactly,
// which encoding/json does not require.
func unknown(v any, t reflect.Type, path string, wrong *[]violation) {
	if t == rawType {
		return
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() == reflect.Slice {
			for i, e := range v {
				unknown(e, t.Elem(), fmt.Sprintf("%s[%d]", path, i), wrong)
			}
		}
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return // the decoder reports it
		}
		fields := map[string]reflect.Type{}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			fields[name] = t.Field(i).Type
		}
		for name, e := range v {
			ft, ok := fields[name]
			if !ok {
				at := ""
				if path != "" {
					at = " at '" + path + "'"
				}
				*wrong = append(*wrong, violation{path, fmt.Sprintf("Invalid JSON payload received. Unknown name %q%s: Cannot find field.", name, at)})
				continue
			}
			unknown(e, ft, strings.TrimPrefix(path+"."+name, "."), wrong)
		}
	}
}
