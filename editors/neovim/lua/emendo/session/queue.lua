-- The questions that wait for the running turn. The server stores them.
local session = require('emendo.session')
local visible = require('emendo.text.visible')

local M = {}

---@class emendo.Queued
---@field turnId string
---@field messageId string
---@field how 'steer'|'queue'|'interrupt'
---@field prompt table[] ContentBlocks

--- Returns the text of a queued question.
---@param item emendo.Queued
---@return string
function M.text(item)
  for _, block in ipairs(item.prompt) do
    if block.type == 'text' then
      return block.text or ''
    end
  end
  return ''
end

local function line_of(item)
  return visible.line((M.text(item):gsub('%s+', ' ')))
end

--- Returns the queue of the session that is shown, and whether it is paused.
---@return emendo.Queued[]
---@return boolean paused
function M.items()
  local q = session.current and session.current.queue
  return q and q.items or {}, q ~= nil and q.paused == true
end

--- Returns the description of the queue that is shown above the prompt. Empty if the queue is.
---@return string
function M.brief()
  local items, paused = M.items()
  if #items == 0 then
    return ''
  end
  return ('%d %s: %s'):format(#items, paused and 'paused' or 'queued', line_of(items[1]))
end

return M
