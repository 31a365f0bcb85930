package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/emendo-dev/emendo/acp"
	"github.com/emendo-dev/emendo/agent"
	"github.com/emendo-dev/emendo/ide"
	"github.com/emendo-dev/emendo/internal/rpc"
)

// initializeParams is what of initialize matters. Clients send null for what
// they leave out, and the root in three ways.
type initializeParams struct {
	ProcessID    *int            `json:"processId"`
	RootURI      *string         `json:"rootUri"`
	RootPath     *string         `json:"rootPath"`
	Folders      []folder        `json:"workspaceFolders"`
	Capabilities json.RawMessage `json:"capabilities"`
	Options      json.RawMessage `json:"initializationOptions"`
}

// clientOptions is what emendo reads of the initializationOptions.
type clientOptions struct {
	Settings json.RawMessage `json:"settings"`
	Trust    Trust           `json:"trust"`

	// ShowDocument says that the client answers window/showDocument. Helix does
	// without declaring it, so its users declare it in their configuration.
	ShowDocument bool `json:"showDocument"`
}

// initialize answers with what the server can do, and does nothing else.
func (s *server) initialize(raw json.RawMessage) (rpc.Work, error) {
	p, err := decode[initializeParams](raw)
	if err != nil {
		return nil, err
	}
	var o clientOptions
	if len(p.Options) > 0 && p.Options[0] == '{' {
		if o, err = decode[clientOptions](p.Options); err != nil {
			return nil, err
		}
	}
	switch o.Trust {
	case "":
		o.Trust = AskTrust
	case Trusted, Restricted, AskTrust:
	default:
		return nil, rpc.Errorf(rpc.InvalidParams, "initializationOptions.trust is %q; it can be trusted, restricted or ask", o.Trust)
	}
	if string(o.Settings) == "null" {
		o.Settings = nil
	}
	s.can = readAbilities(p.Capabilities)
	s.can.showDocument = s.can.showDocument || o.ShowDocument
	s.workspace = ide.NewWorkspace(nil, s.can.encoding)
	s.workspace.Watch(s.followQuestions)
	s.settings, s.trust = o.Settings, o.Trust
	s.folders.set(p.roots())
	if p.ProcessID != nil && *p.ProcessID > 0 && *p.ProcessID != s.o.ClientPID {
		s.spawn(func() { s.watchParent(*p.ProcessID) })
	}
	s.spawn(s.announce.run)
	s.phase = serving
	return answered(s.abilitiesOfServer()), nil
}

// roots are the folders, in whichever way the client names them.
func (p initializeParams) roots() []folder {
	switch {
	case len(p.Folders) > 0:
		return p.Folders
	case p.RootURI != nil:
		return []folder{{*p.RootURI}}
	case p.RootPath != nil && *p.RootPath != "":
		return []folder{{string(ide.FileURI(*p.RootPath))}}
	}
	return nil
}

// initialized has the agent made before it is needed, so that the first prompt
// does not wait and the user learns of bad settings.
func (s *server) initialized(json.RawMessage) error {
	s.spawn(func() {
		if _, err := s.needHost(s.life); err != nil && s.life.Err() == nil {
			s.tell(s.life, errorMessage, err.Error())
		}
	})
	s.spawn(s.followConfiguration)
	return nil
}

// object is JSON that is only made to be sent.
type object = map[string]any

// abilitiesOfServer is the answer to initialize. What is not implemented is not
// in it.
func (s *server) abilitiesOfServer() object {
	modes := []object{}
	for _, m := range agent.Modes() {
		modes = append(modes, object{"id": m.ID, "name": m.Name, "description": m.Description})
	}
	return object{
		"serverInfo": object{"name": "emendo", "version": s.o.Version},
		"capabilities": object{
			"positionEncoding": s.can.encoding,
			"textDocumentSync": object{"openClose": true, "change": 2, "save": object{"includeText": false}},
			"codeActionProvider": object{
				"codeActionKinds": actionKinds(),
				"resolveProvider": true,
			},
			"codeLensProvider":       object{"resolveProvider": false},
			"hoverProvider":          true,
			"executeCommandProvider": object{"commands": s.commandNames()},
			"workspace":              object{"workspaceFolders": object{"supported": true, "changeNotifications": true}},
			"experimental": object{"emendo": object{
				"version": 1, "modes": modes, "models": append([]ModelInfo{}, s.o.Models...), "commands": acp.Commands(agent.Commands()),
			}},
		},
	}
}

// commandNames are the commands, sorted.
func (s *server) commandNames() []string {
	names := make([]string, 0, len(s.commands))
	for name := range s.commands {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// notify sends a notification. That it cannot be sent any more is the
// connection's end, which ends the server anyway.
func (s *server) notify(ctx context.Context, method string, params any) {
	if err := s.conn.Notify(ctx, method, params); err != nil {
		s.log.Debug("a notification was not sent", "error", err)
	}
}
