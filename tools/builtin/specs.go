package builtin

import "github.com/emendo-dev/emendo/tools"

// elsewhere are the specs of tools that the agent and package mcp have, without their
// descriptions and schemas.
var elsewhere = []tools.Spec{ActivateSkill, InvokeAgent, CompleteTask, ListResources, ReadResource}

// ActivateSkill is the tool that activates a skill.
var ActivateSkill = tools.Spec{
	Name: "activate_skill", Display: "ActivateSkill", Kind: tools.Read, Lasting: true,
	Synonyms: map[string]string{"skill": "name", "skill_name": "name"},
}

// InvokeAgent is the tool that hands a task to an agent.
var InvokeAgent = tools.Spec{
	Name: "invoke_agent", Display: "InvokeAgent", Kind: tools.Think, NotForAgents: true,
	Synonyms: map[string]string{"name": "agent_name", "agent": "agent_name", "task": "prompt"},
}

// CompleteTask is the tool with which an agent ends its task.
var CompleteTask = tools.Spec{Name: "complete_task"}

// The tools for the resources of MCP servers.
var (
	ListResources = tools.Spec{Name: "list_mcp_resources", Display: "List MCP resources", Kind: tools.Search, Origin: tools.OfMCP}
	ReadResource  = tools.Spec{Name: "read_mcp_resource", Display: "Read an MCP resource", Kind: tools.Read, Origin: tools.OfMCP}
)
