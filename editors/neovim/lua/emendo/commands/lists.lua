-- Lists of what sessions use, and of rules. What can be done with an entry is a second menu.
local act = require('emendo.session.act')
local client = require('emendo.server.client')
local form = require('emendo.session.form')
local menu = require('emendo.menu')
local session = require('emendo.session')
local visible = require('emendo.text.visible')
local window = require('emendo.session.window')
local words = require('emendo.words')

local M = {}

-- The requests for the lists, by their names.
local requests = {
  mcp = 'emendo/mcp/list',
  agents = 'emendo/subagents/list',
  skills = 'emendo/skills/list',
  hooks = 'emendo/hooks/list',
  rules = 'emendo/policy/list',
}

--- Returns the names of the lists, sorted.
function M.names()
  local names = vim.tbl_keys(requests)
  table.sort(names)
  return names
end

--- Shows a list, by default the one that the user chooses, and does what they choose of it.
---@param name? string
function M.show(name)
  if not requests[name] then
    return menu(M.names(), { kind = 'list', prompt = words.which_list, line = tostring }, M.show)
  end
  local params, s = vim.empty_dict(), session.current
  params.sessionId = s and not s.stale and s.id or nil
  local function line(entry)
    return visible.row(entry.label.text .. (entry.note and ': ' .. entry.note.text or ''))
  end
  client.ensure(function(err)
    return err or client.ask(requests[name], params, function(list)
      local none = list.none and list.none.text
      menu(list.entries or list.rules, { kind = 'list', prompt = 'emendo: ' .. list.title.text, none = none, line = line }, function(entry)
        menu(entry.actions or {}, { kind = 'action', prompt = visible.row('emendo: ' .. entry.label.text), none = words.no_action, line = form.option }, function(action)
          act.run({ view = window.view, id = entry.id }, action)
        end)
      end)
    end)
  end)
end

return M
