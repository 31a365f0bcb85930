-- Menus of what can be done: with what the cursor is on in the panel, with a question that
-- waits, or with the session.
local act = require('emendo.session.act')
local form = require('emendo.session.form')
local menu = require('emendo.menu')
local panel_act = require('emendo.panel.act')
local session = require('emendo.session')
local view = require('emendo.panel.view')
local visible = require('emendo.text.visible')
local words = require('emendo.words')

local M = {}

--- Lets the user choose an action of some items, and does it.
---@param items emendo.Item[]
local function choose(prompt, items)
  local list = {}
  for _, item in ipairs(items) do
    for _, action in ipairs(session.view():actions(item)) do
      list[#list + 1] = { item = item, action = action }
    end
  end
  local function line(chosen)
    return form.option(chosen.action)
  end
  menu(list, { kind = 'action', prompt = visible.row('emendo: ' .. prompt), none = words.no_action, line = line }, function(chosen)
    act.run(panel_act.of(chosen.item.id), chosen.action)
  end)
end

--- Lists what can be done with what the cursor is on in the panel, and with the session.
function M.here()
  local shown, items = session.view(), {}
  local block = view.at(vim.api.nvim_win_get_cursor(0)[1] - 1)
  local item = block and block.item
  while item do
    items[#items + 1] = item
    item = shown.items[item.parent or '']
  end
  items[#items + 1] = shown.status
  choose(items[1] and items[1].title.text or '', items)
end

--- Lists the questions that wait and shows the menu for the chosen one.
function M.queue()
  local count = session.view():queue_brief():match('^[^:]*') -- is told a moment after the items
  local function line(item)
    return visible.row(item.title.text, item.note and '  (' .. item.note.text .. ')')
  end
  local prompt = 'emendo: ' .. (count ~= '' and count or 'queue')
  menu((session.view():queued()), { kind = 'queue', prompt = prompt, none = words.empty_queue, line = line }, function(item)
    choose(item.title.text, { item })
  end)
end

return M
