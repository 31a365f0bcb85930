-- Rewinds a session to before a turn, or forth again, copies a session, and reopens decided hunks.
local act = require('emendo.session.act')
local answer = require('emendo.commands.answer')
local client = require('emendo.server.client')
local menu = require('emendo.menu')
local messages = require('emendo.messages')
local session = require('emendo.session')
local visible = require('emendo.text.visible')
local window = require('emendo.session.window')
local words = require('emendo.words')

local M = {}

--- Does an action of a turn that the user chooses, of which the newest comes first. What has to
--- be seen before it is done comes as a question about that turn. A redo stands first.
local function act_on_turn(id, prompt)
  local s = session.current
  local turns = s and not s.stale and vim.iter(session.turns(s)):rev():totable() or {}
  for _, action in ipairs(s and id == 'back' and s.view:actions(s.view.status or {}) or {}) do
    if action.id == 'redo' then
      table.insert(turns, 1, { id = s.view.status.id, text = action.title.text, action = action })
    end
  end
  local function line(turn)
    return visible.row(turn.text)
  end
  menu(turns, { kind = 'turn', prompt = prompt, none = words.no_turn, line = line }, function(turn)
    answer.expect(turn.id)
    act.run({ view = s.view, session = s.id, id = turn.id }, turn.action or { id = id })
  end)
end

--- Goes back to before a turn that the user chooses.
function M.rewind()
  act_on_turn('back', words.rewind)
end

--- Starts a new session with a copy of this one up to a turn.
function M.fork()
  act_on_turn('fork', words.fork)
end

--- Lists the session's decided hunks, the newest first, and reverses the decision on the chosen
--- one.
function M.reopen()
  local s = session.current
  if not s or s.stale then
    return messages.info(words.no_turn)
  end
  client.ask('emendo/changes/list', { sessionId = s.id }, function(result)
    local list = {}
    for _, set in ipairs(result.changeSets) do
      for _, file in ipairs(set.files) do
        for _, hunk in ipairs(file.hunks) do
          if hunk.actions then
            table.insert(list, 1, hunk)
          end
        end
      end
    end
    local function line(hunk)
      return visible.row(hunk.label.text, ('  (%s)'):format(hunk.note.text))
    end
    menu(list, { kind = 'decided', prompt = words.reopen, none = words.nothing_decided, line = line }, function(hunk)
      act.run({ view = window.view, id = hunk.hunkId }, hunk.actions[1])
    end)
  end)
end

return M
