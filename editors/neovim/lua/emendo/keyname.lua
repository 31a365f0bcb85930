-- Formats keys as the user presses them.
local keys = require('emendo.keys')

local M = {}

--- Replaces <leader> in the keys of a mapping with the user's leader.
---@param lhs string
---@return string
function M.shown(lhs)
  local leader = vim.g.mapleader
  leader = vim.fn.keytrans((leader == nil or leader == '') and '\\' or leader)
  return (lhs:gsub('<[lL]eader>', function()
    return leader
  end))
end

--- Returns the keys of an action, or its command if they are not mapped.
---@param name string of an action
---@return string
function M.of(name)
  local lhs = keys.lhs(name)
  return lhs and M.shown(lhs) or ':Emendo ' .. name
end

--- Returns the first key of an action in the panel or the prompt, or nil.
---@param where 'panel'|'prompt'
---@param name string
---@return string?
function M.inside(where, name)
  local lhs = keys.lhs_in(where, name)
  return lhs and M.shown(lhs)
end

return M
