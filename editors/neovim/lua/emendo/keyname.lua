-- Keys as the user has to press them.
local keys = require('emendo.keys')

local M = {}

--- A mapping's keys with those that it stands for: <leader> is what the user has set.
---@param lhs string
---@return string
function M.shown(lhs)
  local leader = vim.g.mapleader
  leader = vim.fn.keytrans((leader == nil or leader == '') and '\\' or leader)
  return (lhs:gsub('<[lL]eader>', function()
    return leader
  end))
end

--- The keys that do something, or the command when they are not mapped.
---@param name string of an action
---@return string
function M.of(name)
  local lhs = keys.lhs(name)
  return lhs and M.shown(lhs) or ':Emendo ' .. name
end

--- The first key of an action in the panel or the prompt, or nil if it has none.
---@param where 'panel'|'prompt'
---@param name string
---@return string?
function M.inside(where, name)
  local lhs = keys.lhs_in(where, name)
  return lhs and M.shown(lhs)
end

return M
