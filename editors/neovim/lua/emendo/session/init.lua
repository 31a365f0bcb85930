-- The plugin's sessions: their transcripts, the one that is shown, and the running turns.
local buffers = require('emendo.server.buffers')
local client = require('emendo.server.client')
local context = require('emendo.server.context')
local events = require('emendo.events')
local messages = require('emendo.messages')
local Transcript = require('emendo.session.transcript')
local transport = require('emendo.server.transport')

local M = {}

---@class emendo.Session
---@field id string
---@field info table SessionInfo
---@field transcript emendo.Transcript
---@field seq integer the number of the last update
---@field updates integer how many were seen
---@field running boolean a turn runs
---@field turn string? its id
---@field stop string? how the last turn ended
---@field error emendo.Error? with what the last prompt failed
---@field stored boolean it has a prompt, so the server can load it
---@field stale boolean the server that knew it has ended
---@field broken? boolean a turn of it ran then
---@field title string?
---@field turns {id: string, text: string}[] its questions, the oldest first
---@field queue? {items: emendo.Queued[], paused: boolean?} the questions that wait
---@field usage table? tokens of the whole session
---@field context {used: integer, size: integer}? tokens of the last request, and the model's limit
---@field ephemeral? boolean it is beside the conversation: see review/ephemeral_turn.lua
---@field listen? fun(update: table) is given its updates

---@type table<string, emendo.Session>
M.all = {}
---@type emendo.Session?
M.current = nil
--- The mode and the model that the next new session gets.
M.wanted = { mode = nil, model = nil }

--- The transcript that is shown before there is a session. It also gets the notices that
--- belong to no session.
M.lobby = Transcript.new()

--- Returns the transcript to show.
---@return emendo.Transcript
function M.transcript()
  return M.current and M.current.transcript or M.lobby
end

---@param info table SessionInfo
---@return emendo.Session
local function register(info)
  local s = M.all[info.sessionId]
  if not s then
    s = { id = info.sessionId, transcript = Transcript.new(), seq = 0, updates = 0, running = false, stored = false, stale = false, turns = {} }
    M.all[s.id] = s
  end
  s.info = vim.tbl_extend('force', s.info or {}, info)
  s.title = s.info.title
  s.stored = s.stored or (s.info.turns or 0) > 0
  return s
end

M.register = register

--- Shows a session in the panel.
---@param s emendo.Session?
function M.show(s)
  M.current = s
  events.fire('Session', { session = s and s.id })
end

--- Returns the session of an id. Adds it if it is unknown.
local function by_id(id)
  return M.all[id] or register({ sessionId = id })
end

---@param s emendo.Session
---@param running boolean
local function set_running(s, running)
  if s.running ~= running then
    s.running = running
    events.fire('Turn', { session = s.id, running = running, stop = s.stop })
  end
end

local function ended(s, stop, turn)
  if turn and s.turn and turn ~= s.turn then
    return -- the next turn is already running
  end
  s.stop = stop
  set_running(s, false)
  buffers.reread()
end

--- Records the question that a turn began with.
local function record_turn(s, id, content)
  local last = s.turns[#s.turns]
  if id and content and content.type == 'text' and not (last and last.id == id) then
    table.insert(s.turns, { id = id, text = content.text or '' })
  end
end

M.restricted = 'This folder is restricted: emendo reads and proposes changes, and runs nothing.'

local restricted = {} ---@type table<string, 'known'|'told'> by folder

--- Reports once in the panel that the folder is restricted. Until the first question the
--- welcome says so instead.
---@param transcript emendo.Transcript
local function notice_restricted(transcript)
  local root = client.server.root
  if root and restricted[root] == 'known' then
    restricted[root] = 'told'
    transcript:notice('info', M.restricted, ':Emendo trust trusts it.')
  end
end

--- Handles emendo/session/update.
function M.on_update(params)
  local s = by_id(params.sessionId)
  if params.update.sessionUpdate == '_emendo/queue' then -- it has no number
    s.queue = { items = params.update.items or {}, paused = params.update.paused }
    return events.fire('Queue', { session = s.id, queued = #s.queue.items, paused = s.queue.paused or false })
  end
  if params.seq <= s.seq then
    return
  end
  s.seq, s.updates = params.seq, s.updates + 1
  local u = params.update
  local kind = u.sessionUpdate
  if kind == 'session_info_update' then
    s.title = u.title ~= '' and u.title or s.title
    s.info.title = s.title
    events.fire('Status')
  elseif kind == 'current_mode_update' then
    s.info.mode = u.currentModeId
    events.fire('Status')
  elseif kind == 'usage_update' then
    s.usage = vim.tbl_get(u, '_meta', 'emendo') or s.usage
    s.context = { used = u.used, size = u.size }
    events.fire('Status')
  elseif kind == 'user_message_chunk' then
    s.stored = true
    s.turn = params.turnId
    record_turn(s, params.turnId, u.content)
    if not params.replay then
      s.stop, s.error = nil, nil
      set_running(s, true)
      events.emit('turn_began', s.id)
      if s == M.current then
        notice_restricted(s.transcript)
      end
    end
  end
  if s.listen then
    s.listen(u)
  end
  s.transcript:apply(u)
  if kind == '_emendo/turn_ended' and not params.replay then
    ended(s, u.stopReason, params.turnId)
  end
end

--- Handles emendo/status.
function M.on_status(status)
  client.set_status(status)
  local s = status.sessionId and M.all[status.sessionId]
  if s then
    s.info.mode, s.info.model = status.mode or s.info.mode, status.model or s.info.model
    s.usage = status.usage or s.usage
  end
  local root = client.server.root
  if root and status.kind == 'restricted' then
    restricted[root] = restricted[root] or 'known'
  elseif root and status.kind == 'ready' then
    restricted[root] = nil
  end
  if not M.transcript():is_new() then
    notice_restricted(M.transcript())
  end
end

local severities = { 'error', 'warning', 'info', 'info' }

--- Handles window/showMessage: shows it in full in the panel, and in one line as a message.
function M.on_message(params)
  local severity = severities[params.type] or 'info'
  M.transcript():notice(severity, params.message)
  messages.hint(params.message, ({ error = vim.log.levels.ERROR, warning = vim.log.levels.WARN, info = vim.log.levels.INFO })[severity])
end

local hints = {
  untrusted_workspace = ':Emendo trust trusts this folder.',
}

--- Returns the text of an error for the user, with what to do about it in place of details.
---@param err emendo.Error
---@return string
function M.error_text(err)
  local code, text = err.data and err.data.code, err.message
  if code == 'auth_required' then
    text = text:gsub('^model request: ', ''):match('^(.-)%. ') or text -- the server lists every way to sign in
    return text .. '; run `emendo auth login` in a terminal (:checkhealth emendo says more)'
  elseif code == 'busy' then -- not by a turn here, which would have queued the question
    return 'this session is at work in another editor or terminal: ask again when it has finished, or :Emendo new'
  end
  return text
end

--- Reports an error of a request: in full in the panel, and in one line as a message.
---@param transcript emendo.Transcript
---@param err emendo.Error
local function show_error(transcript, err)
  local text = M.error_text(err)
  transcript:notice('error', text, hints[err.data and err.data.code])
  messages.hint(text, vim.log.levels.ERROR)
end

M.show_error = show_error

---@alias emendo.Loaded fun(s: emendo.Session?, err: emendo.Error?)

--- Creates a session and shows it.
---@param done? emendo.Loaded
function M.new(done)
  done = done or function() end
  client.ensure(function(err)
    if err then
      return done(nil, { message = err })
    end
    local params = { cwd = client.server.root, mode = M.wanted.mode, model = M.wanted.model }
    client.request('emendo/session/new', params, function(failed, result)
      if failed then
        show_error(M.transcript(), failed)
        return done(nil, failed)
      end
      local s = register(result.session)
      s.transcript, M.lobby = M.lobby, Transcript.new() -- earlier notices stay above
      M.show(s)
      done(s)
    end)
  end)
end

local waiting ---@type emendo.Loaded[]? for the session that is on its way

--- Calls go with the session that is shown. If there is none, creates one; if it is stale,
--- loads it again, or replaces it if it is not stored. Calls made meanwhile get the same one.
---@param go emendo.Loaded
function M.ensure(go)
  if M.current and not M.current.stale then
    return go(M.current)
  elseif waiting then
    return table.insert(waiting, go)
  end
  waiting = { go }
  local function loaded(s, err)
    local list = waiting or {}
    waiting = nil
    for _, each in ipairs(list) do
      each(s, err)
    end
  end
  if M.current and M.current.stored then
    M.load(M.current.id, loaded)
  else
    M.new(loaded)
  end
end

--- Loads a stored session and shows it. The server replays its updates, which build the
--- transcript. A session with a turn running here is only shown: its transcript is complete,
--- and new updates would mix with the replay.
---@param id string
---@param done? emendo.Loaded
function M.load(id, done)
  done = done or function() end
  client.ensure(function(err)
    if err then
      return done(nil, { message = err })
    end
    local s = by_id(id)
    if s.running and not s.stale then
      M.show(s)
      return done(s)
    end
    s.transcript:reset()
    s.seq, s.stale, s.turns = 0, false, {}
    client.request('emendo/session/load', { sessionId = id }, function(failed, result)
      if failed then
        show_error(s.transcript, failed)
        return done(nil, failed)
      end
      register(result.session)
      if result.elsewhere then
        s.transcript:notice('info', 'This session is at work in another editor or terminal.', 'What comes of it shows here with your next question.')
      elseif not s.running then
        s.transcript:interrupt_calls()
      end
      M.show(s)
      events.emit('loaded', id)
      done(s)
    end)
  end)
end

---@alias emendo.Sent fun(err: emendo.Error?, result: table?, unsent: boolean?) unsent: no turn has the question

--- Sends a question to the session that is shown, or to a new one. Starts the server first
--- if necessary. If a turn is running, queues the question or sends it as `how` says.
---@param blocks table[] ContentBlocks
---@param done? emendo.Sent when the turn has ended
---@param how? 'queue'|'steer'|'interrupt' when a turn runs
function M.prompt(blocks, done, how)
  done = done or function() end
  client.ensure(function(failed)
    if failed then
      return done({ message = failed }, nil, true)
    end
    M.ensure(function(s, err)
      if not s then
        return done(err, nil, true)
      end
      context.flush()
      if s.running then
        return M.inject(s, blocks, how or 'queue', done)
      end
      M.start(s, blocks, done)
    end)
  end)
end

--- Sends a question to a session in which no turn runs.
---@param s emendo.Session
---@param blocks table[]
---@param done emendo.Sent
function M.start(s, blocks, done)
  s.stop, s.error = nil, nil
  s.turn = nil
  set_running(s, true)
  client.request('emendo/session/prompt', { sessionId = s.id, prompt = blocks }, function(err, result)
    if err and err.code == transport.gone then
      s.error = err -- server_ended shows it
    elseif err and not s.ephemeral and err.data and err.data.code == 'busy' then
      ended(s, s.stop) -- the turn of a queued question has just begun: queue this one
      return M.inject(s, blocks, 'queue', done)
    elseif err then
      if not s.ephemeral then
        s.error = err
        show_error(s.transcript, err)
      end
      ended(s, '_emendo/error')
      return done(err, nil, not s.turn)
    else
      s.usage = result.usage or s.usage
      ended(s, result.stopReason, result.turnId)
    end
    done(err, result)
  end)
end

local taken = { queue = 'queued; :Emendo queue lists what is queued', steer = 'sent to the running turn, which reads it after its next step' }

--- Sends a question to a session in which a turn runs.
---@param s emendo.Session
---@param blocks table[]
---@param how 'queue'|'steer'|'interrupt'
---@param done emendo.Sent
function M.inject(s, blocks, how, done)
  client.request('emendo/session/inject', { sessionId = s.id, prompt = blocks, how = how }, function(err, result)
    if err then
      show_error(s.transcript, err)
    elseif taken[how] then
      messages.hint(taken[how])
    end
    done(err, result, err ~= nil)
  end)
end

--- Cancels the running turn of the session that is shown.
---@return boolean cancelled a turn was running
function M.cancel()
  local s = M.current
  if not s or not s.running then
    return false
  end
  client.notify('emendo/session/cancel', { sessionId = s.id })
  return true
end

--- Shows in the panel why the server does not run.
---@param reason string
---@param details? string
function M.server_failed(reason, details)
  local transcript = M.transcript()
  local last = transcript.blocks[#transcript.blocks]
  if details or not last or last.head[1] ~= '! ' .. reason then
    transcript:notice('error', reason, details)
  end
end

--- Ends all turns, as the server has ended.
function M.server_ended()
  for _, s in pairs(M.all) do
    s.stale, s.queue = true, nil
    if s.running then
      s.broken = true
      ended(s, '_emendo/error')
    end
  end
end

--- Resumes the session that was shown when the server ended.
function M.server_ready()
  local s = M.current
  if not s or not s.stale then
    return
  end
  if not s.stored then
    return M.show(nil)
  end
  local broken = s.broken
  s.broken = nil
  M.load(s.id, function(there)
    if there and broken then
      s.transcript:notice('warning', 'The server ended in the middle of this turn and was started again.')
    end
  end)
end

return M
