-- The change sets that the server has reported, and their pending and conflicted
-- hunks. The server alone decides the state of a hunk.
local buffers = require('emendo.server.buffers')
local client = require('emendo.server.client')
local events = require('emendo.events')
local paths = require('emendo.server.paths')
local session = require('emendo.session')

local M = {}

---@class emendo.Hunk a hunk and where it is
---@field id string
---@field state string
---@field set table the change set
---@field file table the FileChange
---@field hunk table as the server told it
---@field path string the file's path, links resolved
---@field row integer zero-based, as the server last said
---@field applied? boolean the turn that runs has it applied without a question, and the user has not asked again

---@class emendo.Set a change set as far as the server has told of it
---@field set table
---@field version integer
---@field hunks table<string, emendo.Hunk> by id
---@field asked? boolean a gap was found, and the whole set asked for

local sets = {} ---@type table<string, emendo.Set> by changeSetId
local hunks = {} ---@type table<string, emendo.Hunk> of all sets, by id
local files = {} ---@type table<string, table<string, emendo.Hunk>> by path and id
local dismissed = {} ---@type table<string, boolean> conflicts that the user has seen
local decided = {} ---@type table<string, boolean> hunks that the user has decided here
local count = 0

local path_by_uri = {} ---@type table<string, string> of the URIs that change sets name

--- Returns the path of a URI. Symlinks are resolved only once.
local function path_of(uri)
  path_by_uri[uri] = path_by_uri[uri] or paths.of_uri(uri)
  return path_by_uri[uri]
end

local function before(a, b)
  if a.path ~= b.path then
    return a.path < b.path
  end
  return a.row < b.row
end

--- Returns the hunks in one of the states, sorted by file and line. The state "applied"
--- selects new hunks that were accepted without asking the user.
---@param states string[]
---@param path? string
---@return emendo.Hunk[]
function M.hunks(states, path)
  local wanted, list = {}, {}
  for _, state in ipairs(states) do
    wanted[state] = true
  end
  for id, h in pairs(path and files[path] or not path and hunks or {}) do
    if (wanted[h.state] or wanted.applied and h.applied) and not dismissed[id] then
      list[#list + 1] = h
    end
  end
  table.sort(list, before)
  return list
end

--- Returns the pending hunks.
---@param path? string
---@return emendo.Hunk[]
function M.pending(path)
  return M.hunks({ 'pending' }, path)
end

--- Returns the number of pending hunks.
---@return integer
function M.count()
  return count
end

--- Returns a hunk by its id, or nil if no change set has it.
---@param id string
---@return emendo.Hunk?
function M.find(id)
  return hunks[id]
end

--- Has the buffers of a change set drawn again. The rows of a new one are valid only until
--- the user types.
local function redraw(set, new)
  for _, file in ipairs(set.files) do
    local buf = buffers.of_path(path_of(file.uri))
    if buf then
      events.emit('hunks_changed', buf, new)
    end
  end
end

--- Reports whether the turn that proposed a change set is running in this Neovim.
local function runs_here(set)
  local s = session.all[set.sessionId]
  return s ~= nil and s.running and s.turn == set.turnId
end

--- Updates a hunk with what the server reports.
---@param h emendo.Hunk
---@param reported table
local function update_hunk(h, reported)
  local was = h.state
  count = count + (reported.state == 'pending' and 1 or 0) - (was == 'pending' and 1 or 0)
  h.hunk, h.state, h.row = reported, reported.state, reported.range.start.line
  if reported.state ~= 'conflicted' then
    dismissed[h.id] = nil
  end
  if reported.state ~= 'accepted' then
    h.applied = nil
  elseif was ~= 'accepted' and not decided[h.id] and runs_here(h.set) then
    h.applied = true
  end
end

---@param h emendo.Hunk
local function remove_hunk(h)
  count = count - (h.state == 'pending' and 1 or 0)
  hunks[h.id] = nil
  files[h.path][h.id] = nil
end

--- Stores a change set in place of its last version.
---@param set table
---@param stored? boolean it is nothing new
local function store(set, stored)
  local known = sets[set.changeSetId]
  local s = { set = set, version = set.version or 0, hunks = {} }
  for _, file in ipairs(set.files) do
    local path = path_of(file.uri)
    files[path] = files[path] or {}
    for _, reported in ipairs(file.omitted and {} or file.hunks) do -- without text there is nothing to show
      local h = hunks[reported.hunkId] or { id = reported.hunkId, state = '' }
      h.set, h.file, h.path = set, file, path
      update_hunk(h, reported)
      if stored then
        h.applied = nil
      end
      s.hunks[h.id], hunks[h.id], files[path][h.id] = h, h, h
    end
  end
  for id, h in pairs(known and known.hunks or {}) do
    if not s.hunks[id] then
      remove_hunk(h)
    end
  end
  sets[set.changeSetId] = s
  redraw(set, not known)
end

local function notify()
  events.fire('Hunks', { pending = count })
end

--- Stores a change set of an answer, unless a newer version is known.
local function store_answer(set)
  local s = sets[set.changeSetId]
  if not s or (set.version or 0) >= s.version then
    store(set, true)
  end
end

--- Requests the whole change set after an update was missed.
---@param id string
local function request_whole(id)
  local s = sets[id]
  if s and s.asked then
    return
  elseif s then
    s.asked = true
  end
  client.request('emendo/changes/get', { changeSetId = id }, function(err, result)
    if s then
      s.asked = nil
    end
    if not err then
      store_answer(result.changeSet)
      notify()
    end
  end)
end

--- Applies a delta to a change set.
---@param delta table
local function apply_delta(delta)
  local s = sets[delta.changeSetId]
  if s and delta.version <= s.version then
    return
  elseif not s or delta.version ~= s.version + 1 then
    return request_whole(delta.changeSetId)
  end
  for _, h in ipairs(delta.hunks) do
    if not s.hunks[h.hunkId] then
      return request_whole(delta.changeSetId) -- only the whole change set names its file
    end
  end
  s.version = delta.version
  s.set.state = delta.state or s.set.state
  for _, h in ipairs(delta.hunks) do
    update_hunk(s.hunks[h.hunkId], h)
  end
  for _, id in ipairs(delta.removed or {}) do
    if s.hunks[id] then
      remove_hunk(s.hunks[id])
      s.hunks[id] = nil
    end
  end
  redraw(s.set, false)
end

--- Handles emendo/changes/didChange.
function M.on_change(params)
  if params.changeSet then
    store(params.changeSet)
  else
    apply_delta(params.delta)
  end
  notify()
end

--- Requests the pending change sets of a session.
---@param id string
local function fetch(id)
  client.request('emendo/changes/list', { sessionId = id, state = 'pending' }, function(err, result)
    for _, set in ipairs(not err and result.changeSets or {}) do
      store_answer(set)
    end
    notify()
  end)
end

--- Records that the user decides a hunk in this Neovim.
---@param id string
function M.decide(id)
  decided[id] = true
end

--- Marks the applied hunks of a session as seen: only later ones are new.
---@param id string
local function mark_seen(id)
  for _, s in pairs(sets) do
    if s.set.sessionId == id then
      local any
      for _, h in pairs(s.hunks) do
        any, h.applied = any or h.applied, nil
      end
      if any then
        redraw(s.set, false)
      end
    end
  end
end

--- Removes all change sets after the server has ended.
function M.clear()
  sets, hunks, files, dismissed, decided, path_by_uri, count = {}, {}, {}, {}, {}, {}, 0
  events.emit('hunks_cleared')
  notify()
end

--- Hides a conflicted hunk.
---@param h emendo.Hunk
function M.dismiss(h)
  dismissed[h.id] = true
  redraw(h.set)
  notify()
end

events.on('loaded', fetch)
events.on('turn_began', mark_seen)

return M
