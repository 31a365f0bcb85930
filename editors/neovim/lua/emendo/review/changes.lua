-- The hunks of the window's view, by their files. The server alone decides the state of a hunk.
local buffers = require('emendo.server.buffers')
local events = require('emendo.events')
local paths = require('emendo.server.paths')
local window = require('emendo.session.window')

local M = {}

---@class emendo.Hunk HunkView of docs/protocol.md
---@field id string
---@field state 'pending'|'unreviewed'|'conflicted'
---@field fileId string
---@field sessionId? string
---@field itemId? string
---@field range table
---@field version? integer of the document that the range is of
---@field label emendo.Text
---@field marks? table[]
---@field rows? {[1]: string, [2]: string, [3]?: integer[][]}[]
---@field path string where it is, links resolved

local files = {} ---@type table<string, table<string, emendo.Hunk>> by path and id
local known = {} ---@type table<string, emendo.Hunk> by id
local path_by_uri = {} ---@type table<string, string> of the URIs of files
local count = 0 -- of pending ones

--- Returns the path of a URI. Symlinks are resolved only once.
local function path_of(uri)
  path_by_uri[uri] = path_by_uri[uri] or paths.of_uri(uri)
  return path_by_uri[uri]
end

--- Returns the item of the file that a hunk is in.
---@param h emendo.Hunk
---@return emendo.Item
function M.file(h)
  return window.view.items[h.fileId]
end

local function before(a, b)
  if a.path ~= b.path then
    return a.path < b.path
  end
  return a.range.start.line < b.range.start.line
end

--- Returns the hunks in one of the states, sorted by file and line.
---@param states string[]
---@param path? string
---@return emendo.Hunk[]
function M.hunks(states, path)
  local list = {}
  for _, h in pairs(path and (files[path] or {}) or known) do
    if vim.list_contains(states, h.state) then
      list[#list + 1] = h
    end
  end
  table.sort(list, before)
  return list
end

--- Returns the hunks of a file by id.
---@param path string
---@return table<string, emendo.Hunk>
function M.of_file(path)
  return files[path] or {}
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

--- Returns a hunk by its id, or nil if it is decided.
---@param id string
---@return emendo.Hunk?
function M.find(id)
  return known[id]
end

---@param id string
---@return string? path of the hunk, if there was one
local function drop(id)
  local h = known[id]
  if h then
    count = count - (h.state == 'pending' and 1 or 0)
    known[id], files[h.path][id] = nil, nil
    return h.path
  end
end

---@param h emendo.Hunk
---@return boolean new
local function put(h)
  local was = known[h.id]
  drop(h.id)
  h.path = path_of(M.file(h).place.uri)
  count = count + (h.state == 'pending' and 1 or 0)
  known[h.id] = h
  files[h.path] = files[h.path] or {}
  files[h.path][h.id] = h
  return was == nil
end

--- Takes the whole view in place of what was known.
---@param touched table<string, boolean>
---@param gone string[]
local function begin(touched, gone)
  events.emit('hunks_cleared')
  for id in pairs(known) do
    gone[#gone + 1] = not window.view.hunks[id] and id or nil
  end
  known, files, count = {}, {}, 0
  for _, h in pairs(window.view.hunks) do
    put(h)
    touched[h.path] = true
  end
end

events.on('window', function(changed)
  local touched = {} ---@type table<string, boolean> by path; true: with new hunks, whose rows hold only now
  local moved, gone = {}, {} ---@type table<string, boolean>, string[]
  if not changed then
    begin(touched, gone)
  end
  for _, change in ipairs(changed or {}) do
    for _, id in ipairs(change.drop or {}) do
      local path = drop(id)
      if path then
        touched[path] = touched[path] or false
        gone[#gone + 1] = id
      end
    end
    if change.hunk then
      local new = put(change.hunk)
      touched[change.hunk.path] = touched[change.hunk.path] or new
    elseif change.move then
      moved[path_of(change.move)] = false
    end
  end
  for _, id in ipairs(gone) do
    events.emit('hunk_gone', id)
  end
  for path, new in pairs(vim.tbl_extend('force', moved, touched)) do
    local buf = buffers.of_path(path)
    if buf then
      events.emit('hunks_changed', buf, new)
    end
  end
  if not changed or next(touched) then
    events.fire('Hunks', { pending = count })
  end
end)

return M
