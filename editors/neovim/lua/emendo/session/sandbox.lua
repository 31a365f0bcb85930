-- How the model's commands are confined, in words.
local M = {}

local levels = {
  A = { 'in a sandbox without network', 'sandboxed, no network' },
  B = { 'in a weaker sandbox without network', 'weak sandbox, no network' },
  C = { 'without a sandbox', 'no sandbox' },
}

--- Describes a level, as the end of a sentence about a command.
---@param level string
---@return string
function M.described(level)
  return (levels[level] or { 'in a sandbox' })[1]
end

--- Describes a level in a few words.
---@param level string
---@return string
function M.short(level)
  return (levels[level] or { nil, 'sandboxed' })[2]
end

return M
