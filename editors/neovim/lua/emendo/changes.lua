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

local sets = {} ---@type table<string, table> by changeSetId
local order = {} ---@type string[] their ids as they came
local dismissed = {} ---@type table<string, boolean> conflicts that the user has seen
local count = 0

local paths = {} ---@type table<string, string> of the URIs that change sets name

--- The path of a URI; links are resolved once.
local function path_of(uri)
  paths[uri] = paths[uri] or attach.uri_path(uri)
  return paths[uri]
end

local function each_hunk(visit)
  for _, id in ipairs(order) do
    for _, file in ipairs(sets[id].files) do
      for _, h in ipairs(file.hunks) do
        visit({ id = h.hunkId, state = h.state, set = sets[id], file = file, hunk = h, path = path_of(file.uri), row = h.range.start.line })
      end
    end
  end
end

local function before(a, b)
  if a.path ~= b.path then
    return a.path < b.path
  end
  return a.row < b.row
end

--- The hunks in one of the states, by file and line.
---@param states string[]
---@param path? string
---@return emendo.Hunk[]
function M.hunks(states, path)
  local list = {}
  each_hunk(function(h)
    if vim.tbl_contains(states, h.state) and (not path or h.path == path) and not dismissed[h.id] then
      table.insert(list, h)
    end
  end)
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
  local found
  each_hunk(function(h)
    found = h.id == id and h or found
  end)
  return found
end

--- Has the buffers drawn anew that a change set is about: at once when it is
--- new, for its rows hold as long as nobody types.
local function redraw(set, new)
  for _, file in ipairs(set.files) do
    local buf = attach.buffer(path_of(file.uri))
    if buf then
      local draw = require('emendo.draw')
      if new then
        draw.buffer(buf)
      else
        draw.soon(buf)
      end
    end
  end
end

--- Puts a change set in place of what was known of it.
local function put(set)
  local new = not sets[set.changeSetId]
  if new then
    table.insert(order, set.changeSetId)
  end
  sets[set.changeSetId] = set
  for _, file in ipairs(set.files) do
    for _, h in ipairs(file.hunks) do
      if h.state ~= 'conflicted' then
        dismissed[h.hunkId] = nil
      end
    end
  end
  redraw(set, new)
end

local function recount()
  count = 0
  each_hunk(function(h)
    count = count + (h.state == 'pending' and 1 or 0)
  end)
  events.fire('Hunks', { pending = count })
end

--- Takes emendo/changes/didChange.
function M.on_change(params)
  put(params.changeSet)
  recount()
end

--- Asks for a session's change sets that still wait.
---@param session string
function M.fetch(session)
  require('emendo.client').request('emendo/changes/list', { sessionId = session, state = 'pending' }, function(err, result)
    for _, set in ipairs(not err and result.changeSets or {}) do
      put(set)
    end
    recount()
  end)
end

--- Forgets everything: the server that knew it has ended.
function M.clear()
  sets, order, dismissed, paths = {}, {}, {}, {}
  for buf in pairs(attach.paths) do
    require('emendo.draw').buffer(buf)
  end
  require('emendo.draw').clear()
  recount()
end

--- Shows a conflicted hunk no more.
---@param h emendo.Hunk
function M.dismiss(h)
  dismissed[h.id] = true
  redraw(h.set)
  recount()
end

return M
