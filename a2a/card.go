package a2a

import (
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2asrv"
)

// protocolVersion is the version of the protocol that the library speaks.
const protocolVersion = "0.3.0"

// CardURL returns the URL of the card of a server.
func CardURL(server string) string {
	return strings.TrimSuffix(server, "/") + a2asrv.WellKnownAgentCardPath
}

// agentCard describes the server to clients. It needs no token and names nothing of the
// user's.
func agentCard(o Options) *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:               "emendo",
		Description:        "A coding agent. It reads, edits and runs the code of one workspace. It asks before it edits, and about what has to leave its sandbox.",
		URL:                o.URL,
		Version:            o.Version,
		ProtocolVersion:    protocolVersion,
		PreferredTransport: a2a.TransportProtocolJSONRPC,
		Capabilities:       a2a.AgentCapabilities{Streaming: true},
		DefaultInputModes:  []string{"text/plain", "image/png", "image/jpeg", "image/webp"},
		DefaultOutputModes: []string{"text/markdown", "application/json"},
		SecuritySchemes:    a2a.NamedSecuritySchemes{"bearer": a2a.HTTPAuthSecurityScheme{Scheme: "Bearer"}},
		Security:           []a2a.SecurityRequirements{{"bearer": a2a.SecuritySchemeScopes{}}},
		Skills: []a2a.AgentSkill{{
			ID: "code", Name: "Work on code",
			Description: "Answers questions about the workspace, changes its files and runs its commands.",
			Tags:        []string{"code"},
		}},
	}
}
