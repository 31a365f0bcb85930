package settings

var mcpSettings = []setting{
	{
		key: "mcpServers",
		doc: "MCP servers by name: `{\"docs\": {\"command\": \"npx\", \"args\": [\"-y\", \"docs-server\"]}}`. A server has `command`, `args`, `env` and `cwd`, or `url` (streamable HTTP, or else SSE; `type` `\"http\"` or `\"sse\"` fixes it) or `httpUrl` (streamable HTTP alone), `headers` and `oauth`; " +
			"`timeout` of a call in milliseconds, `includeTools`, `excludeTools`, `trust`, `sandbox`, `hosts` and `disabled`. Layers add to the object. A project's server needs your approval first, and never replaces one of yours. See [mcp.md](mcp.md).",
		scope:  anyone,
		object: "an object: names to servers",
		apart:  true,
		each:   true,
	},
	{
		key: "mcp.allowed",
		doc: "The only MCP servers to start, by name; empty means all.",
	},
	{
		key:    "mcp.excluded",
		doc:    "MCP servers not to start, by name. Layers add to the list.",
		joined: true,
	},
	{
		key:    "mcp.outsideSandbox",
		doc:    "MCP servers of projects that run outside the sandbox with your full permissions, by name. You are asked about them in each session. Layers add to the list.",
		joined: true,
	},
}
