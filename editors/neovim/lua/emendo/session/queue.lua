-- The questions that wait for the running turn. The server stores them.
local session = require('emendo.session')

local M = {}

--- Returns the queue of the session that is shown, and whether it is paused.
---@return emendo.Item[]
---@return boolean paused
function M.items()
  local items = session.view():queued()
  return items, items[1] ~= nil and items[1].state == 'interrupted'
end

--- Returns the description of the queue that is shown above the prompt. Empty if the queue is.
---@return string
function M.brief()
  local items, first = M.items(), nil
  for _, line in ipairs(items[1] and session.view().status and session.view().status.lines or {}) do
    first = line.id == 'queue' and line or first
  end
  return first and (first.text.short or first.text.text) .. ': ' .. items[1].title.text or ''
end

return M
