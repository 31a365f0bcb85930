-- What the server says of no session: each notice as a message, and in the panel, where it
-- stays as the conversation goes on. Until there is one, the welcome has what stands in the way.
local act = require('emendo.session.act')
local events = require('emendo.events')
local messages = require('emendo.messages')
local session = require('emendo.session')
local View = require('emendo.session.view')
local window = require('emendo.session.window')

local levels = { error = vim.log.levels.ERROR, warning = vim.log.levels.WARN }
local told = {} ---@type table<string, string> what of each was put into the panel, by its id

--- Puts a notice into the panel.
local function tell(item)
  told[item.id] = item.title.text
  local text = item.parts and item.parts[1] and View.text(item.parts[1]) or nil
  session.view():notice(item.look --[[@as 'info']], item.title.text, text, vim.tbl_filter(function(action)
    return action.steps ~= nil
  end, window.view:actions(item)))
end

--- Puts what is new into the panel.
---@param began? boolean the conversation has begun just now
local function update(began)
  for _, item in ipairs(window.view:of('notice')) do
    if vim.startswith(item.id, 'obstacle/') then
      if told[item.id] ~= item.title.text and (began or not session.view():is_new()) then
        tell(item)
      end
    elseif told[item.id] ~= item.title.text then
      messages.hint(item.title.text, levels[item.look])
      tell(item)
      act.run({ view = window.view, id = item.id }, { id = 'dismiss' })
    end
  end
  for id in pairs(told) do
    told[id] = window.view.items[id] and told[id] or nil
  end
end

events.on('window', function()
  update()
end)
events.on('turn_begins', function()
  update(true)
end)
