-- The target of a tool call: the hunk that it proposes, or the file that it is about.
local changes = require('emendo.review.changes')

local M = {}

--- Returns the hunk of a change set to go to: a pending one, else a conflicted one, else an
--- accepted one.
---@param set string
---@return emendo.Hunk?
local function hunk(set)
  for _, state in ipairs({ 'pending', 'conflicted', 'accepted' }) do
    for _, h in ipairs(changes.hunks({ state })) do
      if h.set.changeSetId == set then
        return h
      end
    end
  end
end

--- Goes to the target of a call.
---@param call table
---@return boolean went
function M.go(call)
  local h = call.change_set and hunk(call.change_set)
  if h then
    require('emendo.review').go_to(h)
    return true
  end
  local place = (call.locations or {})[1]
  local stat = place and vim.uv.fs_stat(place.path)
  if stat and stat.type == 'file' then
    require('emendo.windows.jump').to(place.path, place.line or 1)
    return true
  end
  return false
end

return M
