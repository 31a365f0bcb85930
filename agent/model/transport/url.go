package transport

import (
	"net/url"

	"github.com/emendo-dev/emendo/agent/model"
)

// CheckURL returns an error if the base URL of an API is not an http or https URL. variable is
// the environment variable in which the user may have set it.
func CheckURL(base, api, variable string) error {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return &model.Error{Kind: model.Invalid, Message: "the base URL of the " + api + " API is not an http or https URL; fix it in the settings or in " + variable}
	}
	return nil
}
