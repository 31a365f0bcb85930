-- The change sets that the server has told of, and the hunks in them that wait
-- for a decision or no longer fit. What a hunk is, is the server's to say.
local attach = require('emendo.attach')
local events = require('emendo.events')

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

local paths = {} ---@type table<string, string> of the URIs that change sets name

--- The path of a URI; links are resolved once.
local function path_of(uri)
  paths[uri] = paths[uri] or attach.uri_path(uri)
  return paths[uri]
end

local function before(a, b)
  if a.path ~= b.path then
    return a.path < b.path
  end
  return a.row < b.row
end

--- The hunks in one of the states, by file and line. The state "applied" is that
--- of accepted ones that nobody was asked about and that are new.
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

--- The hunks that wait for a decision.
---@param path? string
---@return emendo.Hunk[]
function M.pending(path)
  return M.hunks({ 'pending' }, path)
end

--- How many hunks wait.
---@return integer
function M.count()
  return count
end

--- A hunk by its id, or nil when no change set has it.
---@param id string
---@return emendo.Hunk?
function M.find(id)
  return hunks[id]
end

--- Has the buffers drawn again that a change set is about: at once when it is
--- new, for its rows hold as long as nobody types.
local function redraw(set, new)
  local draw = require('emendo.draw')
  for _, file in ipairs(set.files) do
    local buf = attach.buffer(path_of(file.uri))
    if buf and new then
      draw.buffer(buf)
    elseif buf then
      draw.soon(buf)
    end
  end
end

--- Reports whether the turn that proposed a change set runs in this Neovim.
local function runs_here(set)
  local s = require('emendo.session').all[set.sessionId]
  return s ~= nil and s.running and s.turn == set.turnId
end

--- Takes what the server says of a hunk.
---@param h emendo.Hunk
---@param told table
local function take(h, told)
  local was = h.state
  count = count + (told.state == 'pending' and 1 or 0) - (was == 'pending' and 1 or 0)
  h.hunk, h.state, h.row = told, told.state, told.range.start.line
  if told.state ~= 'conflicted' then
    dismissed[h.id] = nil
  end
  if told.state ~= 'accepted' then
    h.applied = nil
  elseif was ~= 'accepted' and not decided[h.id] and runs_here(h.set) then
    h.applied = true
  end
end

---@param h emendo.Hunk
local function drop(h)
  count = count - (h.state == 'pending' and 1 or 0)
  hunks[h.id] = nil
  files[h.path][h.id] = nil
end

--- Puts a change set in place of what was known of it.
---@param set table
---@param stored? boolean it is nothing new
local function put(set, stored)
  local known = sets[set.changeSetId]
  local s = { set = set, version = set.version or 0, hunks = {} }
  for _, file in ipairs(set.files) do
    local path = path_of(file.uri)
    files[path] = files[path] or {}
    for _, told in ipairs(file.hunks) do
      local h = hunks[told.hunkId] or { id = told.hunkId, state = '' }
      h.set, h.file, h.path = set, file, path
      take(h, told)
      if stored then
        h.applied = nil
      end
      s.hunks[h.id], hunks[h.id], files[path][h.id] = h, h, h
    end
  end
  for id, h in pairs(known and known.hunks or {}) do
    if not s.hunks[id] then
      drop(h)
    end
  end
  sets[set.changeSetId] = s
  redraw(set, not known)
end

local function told()
  events.fire('Hunks', { pending = count })
end

--- Takes an answer that holds change sets, unless what is known is newer.
local function put_answer(set)
  local s = sets[set.changeSetId]
  if not s or (set.version or 0) >= s.version then
    put(set, true)
  end
end

--- Asks for the whole of a change set of which something was missed.
---@param id string
local function ask(id)
  local s = sets[id]
  if s and s.asked then
    return
  elseif s then
    s.asked = true
  end
  require('emendo.client').request('emendo/changes/get', { changeSetId = id }, function(err, result)
    if s then
      s.asked = nil
    end
    if not err then
      put_answer(result.changeSet)
      told()
    end
  end)
end

--- Takes what has changed in a change set.
---@param delta table
local function apply(delta)
  local s = sets[delta.changeSetId]
  if s and delta.version <= s.version then
    return
  elseif not s or delta.version ~= s.version + 1 then
    return ask(delta.changeSetId)
  end
  for _, h in ipairs(delta.hunks) do
    if not s.hunks[h.hunkId] then
      return ask(delta.changeSetId) -- of which file it is the whole says
    end
  end
  s.version = delta.version
  s.set.state = delta.state or s.set.state
  for _, h in ipairs(delta.hunks) do
    take(s.hunks[h.hunkId], h)
  end
  for _, id in ipairs(delta.removed or {}) do
    if s.hunks[id] then
      drop(s.hunks[id])
      s.hunks[id] = nil
    end
  end
  redraw(s.set, false)
end

--- Takes emendo/changes/didChange.
function M.on_change(params)
  if params.changeSet then
    put(params.changeSet)
  else
    apply(params.delta)
  end
  told()
end

--- Asks for a session's change sets that still wait.
---@param session string
function M.fetch(session)
  require('emendo.client').request('emendo/changes/list', { sessionId = session, state = 'pending' }, function(err, result)
    for _, set in ipairs(not err and result.changeSets or {}) do
      put_answer(set)
    end
    told()
  end)
end

--- Notes that the user decides a hunk here.
---@param id string
function M.decide(id)
  decided[id] = true
end

--- Forgets which hunks of a session were applied without the user: what comes
--- next is new.
---@param session string
function M.seen(session)
  for _, s in pairs(sets) do
    if s.set.sessionId == session then
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

--- Forgets everything: the server that knew it has ended.
function M.clear()
  sets, hunks, files, dismissed, decided, paths, count = {}, {}, {}, {}, {}, {}, 0
  for buf in pairs(attach.paths) do
    require('emendo.draw').buffer(buf)
  end
  require('emendo.draw').clear()
  told()
end

--- Shows a conflicted hunk no more.
---@param h emendo.Hunk
function M.dismiss(h)
  dismissed[h.id] = true
  redraw(h.set)
  told()
end

return M
