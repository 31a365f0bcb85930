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

--- The states of hunks, that to decide on first comes first.
M.states = { 'pending', 'conflicted', 'unreviewed' }

--- The hunks by id. One that is decided is not there.
---@type table<string, emendo.Hunk>
M.known = {}
--- The same by the path of their file and by id.
---@type table<string, table<string, emendo.Hunk>>
M.of_file = {}

local path_by_uri = {} ---@type table<string, string> of the URIs of files

--- Returns the path of a URI. Symlinks are resolved only once.
local function path_of(uri)
  path_by_uri[uri] = path_by_uri[uri] or paths.of_uri(uri)
  return path_by_uri[uri]
end

--- Returns the item of the file that a hunk is in.
function M.file(h)
  return window.view.items[h.fileId]
end

local function before(a, b)
  return a.path < b.path or a.path == b.path and a.range.start.line < b.range.start.line
end

--- Returns the hunks in some states, sorted by file and line.
---@param states string[]
---@param path? string
function M.hunks(states, path)
  local list = vim.tbl_filter(function(h)
    return vim.list_contains(states, h.state)
  end, path and (M.of_file[path] or {}) or M.known)
  table.sort(list, before)
  return list
end

--- Returns the pending hunks.
---@param path? string
function M.pending(path)
  return M.hunks({ 'pending' }, path)
end

--- Returns the number of pending hunks.
function M.count()
  return #vim.tbl_filter(function(h)
    return h.state == 'pending'
  end, M.known)
end

events.on('window', function(changed)
  local touched = {} ---@type table<string, boolean> by path; true: with new hunks, whose rows hold only now
  local differ, ids = not changed, changed and {} or vim.tbl_extend('force', M.known, window.view.hunks)
  for _, change in ipairs(changed or {}) do
    if change.move then
      touched[path_of(change.move)] = false
    elseif change.hunk then
      ids[change.hunk.id] = true
    end
    for _, id in ipairs(change.drop or {}) do
      ids[id] = true
    end
  end
  if not changed then
    events.emit('hunks_cleared')
  end
  for id in pairs(ids) do
    local h, was = window.view.hunks[id], M.known[id]
    M.known[id] = h
    if was and h ~= was then
      M.of_file[was.path][id] = nil
      touched[was.path], differ = touched[was.path] or false, true
    end
    if h and h ~= was then
      h.path = path_of(M.file(h).place.uri)
      M.of_file[h.path] = M.of_file[h.path] or {}
      M.of_file[h.path][id] = h
      touched[h.path], differ = touched[h.path] or not changed or not was, true
    end
  end
  for path, new in pairs(touched) do
    local buf = buffers.of_path(path)
    if buf then
      events.emit('hunks_changed', buf, new)
    end
  end
  if differ then
    events.fire('Hunks', { pending = M.count() })
  end
end)

return M
