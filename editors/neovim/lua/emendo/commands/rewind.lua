-- Rewinds a session to before a turn, copies a session, and reopens decided hunks.
local buffers = require('emendo.server.buffers')
local client = require('emendo.server.client')
local messages = require('emendo.messages')
local plural = require('emendo.text.plural')
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
---@param first? table an entry before them, with a name
---@param done fun(turn: {id: string, text: string})
local function choose_turn(s, prompt, first, done)
  local list = { first }
  for i = #s.turns, 1, -1 do
    list[#list + 1] = s.turns[i]
  end
  if #list == 0 then
    return messages.info('this session has no turn')
  end
  vim.ui.select(list, {
    prompt = 'emendo: ' .. prompt,
    kind = 'emendo.turn',
    format_item = function(turn)
      return turn.name or visible.row(turn.text)
    end,
  }, function(turn)
    if turn then
      done(turn)
    end
  end)
end

local scopes = {
  { name = 'Conversation and files', scope = 'both' },
  { name = 'Conversation, and leave the files', scope = 'conversation' },
  { name = 'Files, and leave the conversation', scope = 'files' },
}

--- Returns a short description of what a rewind does to files.
local function summary(result)
  local words = {}
  for _, part in ipairs({ { 'restored', 'restore' }, { 'deleted', 'delete' }, { 'conflicts', 'leave, as it has changed since,' }, { 'kept', 'keep' } }) do
    local n = #(result[part[1]] or {})
    if n > 0 then
      words[#words + 1] = ('%s %s'):format(part[2], plural(n, 'file'))
    end
  end
  return #words > 0 and table.concat(words, ', ') or 'no file changes'
end

--- Returns the diffs of the changes that a rewind would make to files.
local function diffs(would)
  local list = {}
  for _, file in ipairs(would.files or {}) do
    if (file.diff or '') ~= '' then
      list[#list + 1] = file.diff
    end
  end
  return list
end

--- Goes back to before a turn that the user chooses, after showing what that would change
--- in files. Unless only files are restored, it puts the question of that turn into the prompt.
function M.rewind()
  local s = shown()
  if not s then
    return
  elseif s.running then
    return messages.info('a turn is running: cancel it first')
  end
  choose_turn(s, 'go back to before which question?', nil, function(turn)
    local params = { sessionId = s.id, turnId = turn.id, scope = 'both', dryRun = true }
    client.request('emendo/session/rewind', params, function(err, would)
      if err then
        return messages.error(session.error_text(err))
      end
      local changes = diffs(would)
      local close = #changes > 0 and require('emendo.review.preview').peek(changes) or function() end
      vim.ui.select(scopes, {
        prompt = 'emendo: go back in what?',
        kind = 'emendo.rewind',
        format_item = function(item)
          return item.name .. (item.scope ~= 'conversation' and ' (' .. summary(would) .. ')' or '')
        end,
      }, function(item)
        close()
        if not item then
          return
        end
        params.scope, params.dryRun = item.scope, nil
        client.request('emendo/session/rewind', params, function(failed, result)
          if failed then
            return messages.error(session.error_text(failed))
          end
          buffers.reread()
          messages.info('went back: ' .. summary(result))
          if item.scope ~= 'files' then
            require('emendo.panel.prompt').put(turn.text)
            session.load(s.id)
          end
        end)
      end)
    end)
  end)
end

--- Starts a new session with a copy of this one up to a turn.
function M.fork()
  local s = shown()
  if not s then
    return
  end
  choose_turn(s, 'copy the session up to which question?', { name = 'All of it' }, function(turn)
    client.request('emendo/session/fork', { sessionId = s.id, turnId = turn.id }, function(err, result)
      if err then
        return messages.error(session.error_text(err))
      end
      session.load(result.session.sessionId, function(copy)
        if copy then
          messages.info('this is the copy; the original stays as it was')
        end
      end)
    end)
  end)
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
      return messages.error(session.error_text(err))
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
          messages.error(session.error_text(failed))
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
