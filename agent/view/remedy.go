package view

// What clients have, for [Step.Client].
const (
	ClientSignIn  = "signIn"
	ClientTrust   = "trust"
	ClientModel   = "model"
	ClientMode    = "mode"
	ClientContext = "context"
	ClientLog     = "log"
	ClientDoctor  = "doctor"
)

// doors are the actions that open what a client has, by what they open.
var doors = map[string]string{
	ClientSignIn: "do.sign_in",
	ClientTrust:  "do.trust",
	ClientModel:  "do.model",
	ClientMode:   "do.mode",
	ClientLog:    "do.log",
	ClientDoctor: "do.doctor",
}

// Door returns the action that opens something that a client has.
func Door(to string) Action {
	return Action{ID: to, Title: say(doors[to]), Look: to, Steps: []Step{{Client: to}}}
}

// remedies are what helps against errors and notices, by their codes.
var remedies = map[string][]string{
	"auth_required":        {ClientSignIn, ClientModel},
	"no_access":            {ClientModel, ClientSignIn},
	"untrusted_workspace":  {ClientTrust},
	"rate_limited":         {ClientModel},
	"quota_exhausted":      {ClientModel},
	"context_overflow":     {ClientModel},
	"provider_unavailable": {ClientModel},
	"provider_not_found":   {ClientModel},
	"provider_invalid":     {ClientModel},
	"provider_blocked":     {ClientModel},
	"tls_untrusted":        {ClientDoctor},
	"internal":             {ClientLog},
	"unavailable":          {ClientModel}, // a notice
	"model_fallback":       {ClientModel}, // a notice
	"restricted":           {ClientTrust}, // a notice
}

// Remedies returns the actions that help against an error or a notice with a code.
func Remedies(code string) (l []Action) {
	for _, to := range remedies[code] {
		l = append(l, Door(to))
	}
	return l
}
