package code

import (
	"context"

	"github.com/emendo-dev/emendo/tools"
)

var fileSynonyms = map[string]string{"path": "file_path", "absolute_path": "file_path", "filename": "file_path", "filePath": "file_path", "file": "file_path", "name": "symbol"}

// symbolArgs name a symbol.
type symbolArgs struct {
	FilePath string `json:"file_path"`
	Line     int    `json:"line" min:"1" jsonschema:"From 1."`
	Symbol   string `json:"symbol" jsonschema:"The symbol as it is on that line."`
}

var symbolParams = tools.NewParams[symbolArgs]()

// atSymbol prepares a call that asks about a symbol. show makes the result of the
// answer of type T.
func atSymbol[T any](ctx context.Context, env tools.Env, from Sources, args symbolArgs, what, method string, more map[string]any, show func(context.Context, tools.Env, T) tools.Result) (tools.Action, error) {
	f, err := open(ctx, env, from, method, args.FilePath)
	if err != nil {
		return tools.Action{}, err
	}
	if _, err := f.position(args.Line, args.Symbol, "utf-8"); err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Title: what + " " + tools.Shown(args.Symbol), Effect: f.reads(), Locations: []tools.Location{{Path: f.Abs, Line: args.Line}},
		Run: func(ctx context.Context, _ func(tools.Progress)) tools.Result {
			ctx, cancel := context.WithTimeout(ctx, askTime)
			defer cancel()
			var answer T
			err := from.Ask(ctx, f.env.Snapshot, f.subject(args.Symbol), method, func(ctx context.Context, s Server) error {
				at, err := f.position(args.Line, args.Symbol, s.Encoding())
				if err != nil {
					return err
				}
				params := map[string]any{"textDocument": document(f.Abs), "position": at}
				for name, value := range more {
					params[name] = value
				}
				return s.Call(ctx, method, params, &answer)
			})
			if err != nil {
				return failure(ctx, err)
			}
			return show(ctx, f.env, answer).Noted(f.note)
		},
	}, nil
}

// showPlaces lists locations.
func showPlaces(one, many string) func(context.Context, tools.Env, locations) tools.Result {
	return func(ctx context.Context, env tools.Env, found locations) tools.Result {
		l := listing{env: env}
		for _, p := range found.places() {
			l.add(ctx, p)
		}
		return l.result(one, many, "No "+many+" found.")
	}
}
