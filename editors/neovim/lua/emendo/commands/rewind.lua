-- Rewinds a session to before a turn, copies a session, and reopens decided hunks.
local act = require('emendo.session.act')
local answer = require('emendo.commands.answer')
local client = require('emendo.server.client')
local messages = require('emendo.messages')
local session = require('emendo.session')
local visible = require('emendo.text.visible')

local M = {}

local function shown()
  local s = session.current
  if not s or s.stale or not s.stored then
    messages.info('there is no question to go back to: ask one, or :Emendo sessions')
    return nil
  end
  return s
end

--- Asks the user to choose one of the session's turns, newest first.
---@param s emendo.Session
---@param prompt string
---@param done fun(turn: {id: string, text: string})
local function choose_turn(s, prompt, done)
  local list = {}
  local turns = session.turns(s)
  for i = #turns, 1, -1 do
    list[#list + 1] = turns[i]
  end
  if #list == 0 then
    return messages.info('this session has no turn')
  end
  vim.ui.select(list, {
    prompt = 'emendo: ' .. prompt,
    kind = 'emendo.turn',
    format_item = function(turn)
      return visible.row(turn.text)
    end,
  }, function(turn)
    if turn then
      done(turn)
    end
  end)
end

--- Does an action of a turn that the user chooses. What has to be seen before it is done comes
--- as a question about that turn.
---@param id string
---@param prompt string
local function act_on_turn(id, prompt)
  local s = shown()
  if not s then
    return
  elseif s.running and id == 'back' then
    return messages.info('a turn is running: cancel it first')
  end
  choose_turn(s, prompt, function(turn)
    answer.expect(turn.id)
    act.run({ view = s.view, session = s.id, id = turn.id }, { id = id })
  end)
end

--- Goes back to before a turn that the user chooses.
function M.rewind()
  act_on_turn('back', 'go back to before which question?')
end

--- Starts a new session with a copy of this one up to a turn.
function M.fork()
  act_on_turn('fork', 'copy the session up to which question?')
end

local words = { accepted = 'accepted', rejected = 'rejected', conflicted = 'not applied', superseded = 'superseded' }

--- Lists the session's decided hunks and makes the chosen one pending again. An accepted
--- hunk is undone first.
function M.reopen()
  local s = shown()
  if not s then
    return
  end
  client.request('emendo/changes/list', { sessionId = s.id }, function(err, result)
    if err then
      return messages.error(client.error_text(err))
    end
    local list = {}
    for i = #result.changeSets, 1, -1 do
      local set = result.changeSets[i]
      for _, file in ipairs(set.files) do
        for _, h in ipairs(file.hunks) do
          if h.state == 'accepted' or h.state == 'rejected' then
            list[#list + 1] = { set = set, file = file, hunk = h }
          end
        end
      end
    end
    if #list == 0 then
      return messages.info('this session has no decided changes')
    end
    vim.ui.select(list, {
      prompt = 'emendo: decide again on which change?',
      kind = 'emendo.decided',
      format_item = function(item)
        local name = visible.line(vim.fn.fnamemodify(vim.uri_to_fname(item.file.uri), ':~:.'))
        local h = item.hunk
        if item.file.op ~= 'modify' then
          return ('%s: %s %s'):format(words[h.state], item.file.op, name)
        end
        local text = vim.trim(h.newText ~= '' and h.newText or h.oldText)
        return visible.row(('%s: %s:%d %s'):format(words[h.state], name, h.range.start.line + 1, text))
      end,
    }, function(item)
      if not item then
        return
      end
      local undone = item.hunk.state == 'accepted' and item.hunk.reviewed == false -- it was never proposed
      local action = undone and 'reject' or 'reopen'
      local decision = { changeSetId = item.set.changeSetId, uri = item.file.uri, hunkId = item.hunk.hunkId, action = action }
      client.request('emendo/changes/resolve', { decisions = { decision } }, function(failed, answer)
        if failed then
          messages.error(client.error_text(failed))
        elseif #(answer.conflicts or {}) > 0 then
          messages.warn('not made pending: ' .. answer.conflicts[1].reason)
        else
          messages.info(undone and 'it is undone' or 'it is pending again; :Emendo next goes there')
        end
      end)
    end)
  end)
end

return M
