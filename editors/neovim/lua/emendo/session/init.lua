-- The plugin's sessions: the view of each, the one that is shown, and the running turns.
local buffers = require('emendo.server.buffers')
local client = require('emendo.server.client')
local context = require('emendo.server.context')
local events = require('emendo.events')
local messages = require('emendo.messages')
local transport = require('emendo.server.transport')
local View = require('emendo.session.view')
local words = require('emendo.words')

local M = {}

---@class emendo.Session
---@field id string
---@field info table SessionInfo
---@field view emendo.View what the server has told, while the session is shown
---@field open? table the request that opened the view; nil: the server tells no changes
---@field running boolean a turn runs
---@field turn string? its id
---@field stop string? how the last turn ended
---@field error emendo.Error? with what the last prompt failed
---@field stored boolean it has a prompt, so the server can load it
---@field stale boolean the server that knew it has ended
---@field broken? boolean a turn of it ran then
---@field title string?
---@field waiting? table<string, fun(err: emendo.Error?, result: table?)> who waits for the end of a turn, by its id

---@type table<string, emendo.Session>
M.all = {}
---@type emendo.Session?
M.current = nil
--- The mode and the model that the next new session gets.
M.wanted = { mode = nil, model = nil }

--- The view that is shown before there is a session. It also gets the notices that belong to
--- no session.
M.lobby = View.new()

--- Returns the view to show.
function M.view()
  return M.current and M.current.view or M.lobby
end

---@param info table SessionInfo
function M.register(info)
  local s = M.all[info.sessionId]
  if not s then
    s = { id = info.sessionId, view = View.new(), running = false, stored = false, stale = false }
    M.all[s.id] = s
  end
  s.info = vim.tbl_extend('force', s.info or {}, info)
  s.title = s.info.title
  s.stored = s.stored or (s.info.turns or 0) > 0
  return s
end

local function set_running(s, running)
  if s.running ~= running then
    s.running = running
    events.fire('Turn', { session = s.id, running = running, stop = s.stop })
  end
end

local function ended(s, stop, turn)
  local done = turn and s.waiting and s.waiting[turn]
  if turn and s.turn and turn ~= s.turn then
    return -- the next turn is already running
  end
  s.stop = stop
  set_running(s, false)
  buffers.reread()
  if done then
    s.waiting[turn] = nil
    done(nil, { stopReason = stop, turnId = turn })
  end
end

--- Calls done when a turn has ended.
---@param turn string its id
---@param done fun(err: emendo.Error?, result: table?)
function M.when_ended(s, turn, done)
  local item = s.view.items[turn]
  if item and s.turn == turn and not s.running then
    return done(nil, { stopReason = s.stop, turnId = turn })
  end
  s.waiting = s.waiting or {}
  s.waiting[turn] = done
end

local live = { running = true, asks = true } -- of a turn; one that waits runs in another process

--- Follows a turn of a session by its item.
local function follow_turn(s, item)
  s.stored = true
  if live[item.state] and s.turn ~= item.id then
    s.turn, s.stop, s.error = item.id, nil, nil
    set_running(s, true)
    events.emit('turn_began', s.id)
  elseif not live[item.state] and s.turn == item.id and s.running then
    ended(s, item.state == 'done' and 'end_turn' or item.state, item.id)
  end
end

local open_view ---@type fun(s: emendo.Session, done?: fun(err: emendo.Error?)) set below

--- Loads what is before a page of a view, page by page.
---@param open table
local function load_earlier(s, open, page)
  local items, i = page.items, 1
  if not page.earlier then
    return
  end
  while items[i + 1] and items[i + 1].parent == items[i].id do
    i = i + 1 -- it came along with what is below it
  end
  client.request('emendo/view/get', { sessionId = s.id, before = items[i].id, limit = 100 }, function(err, before)
    if s.open ~= open then
      return
    elseif err then
      return err.code ~= transport.gone and open_view(s) -- that item is gone
    end
    s.view:add_earlier(before.items)
    load_earlier(s, open, before)
  end)
end

--- Opens the view of a session: the server tells its items, and what changes of them.
---@param done? fun(err: emendo.Error?)
function open_view(s, done)
  local open = {}
  s.open = open
  client.request('emendo/view/get', { sessionId = s.id }, function(err, page)
    if s.open ~= open then
      return done and done(err)
    elseif err then
      s.open = nil
      M.show_error(M.view(), err)
      return done and done(err)
    end
    s.view:begin(page)
    open.begun = true
    M.register(page.session)
    for _, item in ipairs(page.items) do
      if item.kind == 'turn' then
        follow_turn(s, item)
      end
    end
    load_earlier(s, open, page)
    events.fire('Status')
    return done and done()
  end)
end

--- Handles emendo/view/didChange.
function M.on_view(params)
  local s = M.all[params.sessionId]
  if not s or not s.open or not s.open.begun then
    return
  elseif params.version ~= s.view.version + 1 then
    return open_view(s) -- something was missed
  end
  s.view.version = params.version
  for _, change in ipairs(params.changes) do
    if s == M.current and change.item and change.item.kind == 'turn' and not s.view.items[change.item.id] then
      events.emit('turn_begins') -- what is said of it comes before it
    end
  end
  s.view:apply(params.changes)
  local queued
  for _, change in ipairs(params.changes) do
    local kind = change.item and change.item.kind
    queued = queued or kind == 'queued' or change.drop
    if change.session then
      M.register(change.session)
    elseif kind == 'turn' then
      follow_turn(s, change.item)
    elseif change.status then
      events.fire('Status')
    end
  end
  if queued then
    local list, paused = s.view:queued()
    events.fire('Queue', { session = s.id, queued = #list, paused = paused })
  end
end

--- Loads the content of an item that was sent without it.
events.on('content', function(view, id, done)
  client.request('emendo/view/item', { sessionId = M.current and M.current.id, id = id }, function(err, result)
    if not err and view.items[id] then
      view:put(result.item)
    end
    return done and done()
  end)
end)

--- Shows a session in the panel.
---@param s emendo.Session?
function M.show(s)
  local before = M.current
  M.current = s
  if before and before ~= s and before.open then
    before.open, before.view = nil, View.new()
    if not before.stale then
      client.request('emendo/view/close', { sessionId = before.id }, function() end)
    end
  end
  if s and not s.open and not s.stale then
    open_view(s)
  end
  events.fire('Session', { session = s and s.id })
end

--- Returns the questions that the turns of a session began with, the oldest first.
---@return {id: string, text: string}[]
function M.turns(s)
  local list = {}
  for _, item in ipairs(s.view:of('user')) do
    if item.parent and not item.look then
      local text = item.parts and item.parts[1] and View.text(item.parts[1]) or ''
      list[#list + 1] = { id = item.parent, text = text }
    end
  end
  return list
end

--- Handles emendo/sessions/didChange.
function M.on_info(params)
  local s = M.register(params.session)
  if not s.open and params.session.status then
    set_running(s, params.session.status ~= 'idle')
  end
  if params.news and s ~= M.current then
    messages.hint(params.news.text)
  end
end

--- Reports an error of a request: in full in the panel, and in one line as a message.
---@param err emendo.Error
function M.show_error(view, err)
  local text = client.error_text(err)
  view:notice('error', text, nil, err.data and err.data.actions)
  messages.hint(text, vim.log.levels.ERROR)
end

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
        M.show_error(M.view(), failed)
        return done(nil, failed)
      end
      local s = M.register(result.session)
      s.view, M.lobby = M.lobby, View.new() -- earlier notices stay above
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

--- Loads a stored session and shows it.
---@param done? emendo.Loaded
function M.load(id, done)
  done = done or function() end
  client.ensure(function(failed)
    if failed then
      return done(nil, { message = failed })
    end
    local s = M.all[id] or M.register({ sessionId = id })
    if s.open and s.running and not s.stale then
      M.show(s)
      return done(s)
    end
    s.view:reset()
    open_view(s, function(err)
      if err then
        return done(nil, err)
      end
      s.stale = false
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
end

--- Sends a question to a session in which no turn runs.
---@param blocks table[]
---@param done emendo.Sent
function M.start(s, blocks, done)
  s.stop, s.error = nil, nil
  s.turn = nil
  set_running(s, true)
  client.request('emendo/session/prompt', { sessionId = s.id, prompt = blocks }, function(err, result)
    if err and err.code == transport.gone then
      s.error = err -- server_ended shows it
    elseif err and err.data and err.data.code == 'busy' then
      ended(s, s.stop) -- the turn of a queued question has just begun: queue this one
      return M.inject(s, blocks, 'queue', done)
    elseif err then
      s.error = err
      M.show_error(s.view, err)
      ended(s, '_emendo/error')
      return done(err, nil, not s.turn)
    else
      ended(s, result.stopReason, result.turnId)
    end
    done(err, result)
  end)
end

--- Sends a question to a session in which a turn runs.
---@param blocks table[]
---@param how 'queue'|'steer'|'interrupt'
---@param done emendo.Sent
function M.inject(s, blocks, how, done)
  client.request('emendo/session/inject', { sessionId = s.id, prompt = blocks, how = how }, function(err, result)
    if err then
      M.show_error(s.view, err)
    elseif words.sent[how] then
      messages.hint(words.sent[how])
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
---@param details? string
function M.server_failed(reason, details)
  local view = M.view()
  local last = view.items[view.below[''][#view.below['']]]
  if details or not last or last.title.text ~= reason then
    view:notice('error', reason, details)
  end
end

--- Ends all turns, as the server has ended.
function M.server_ended()
  for _, s in pairs(M.all) do
    s.stale, s.open = true, nil
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
  elseif not s.stored then
    return M.show(nil)
  end
  local broken = s.broken
  s.broken = nil
  M.ensure(function(there)
    if there and broken then
      s.view:notice('warning', words.server.broke)
    end
  end)
end

return M
