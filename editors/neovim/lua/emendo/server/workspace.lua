-- The folders of the workspace: the project that the server was started in, and those added
-- later, by the user or because the user asked from a file in them.
local client = require('emendo.server.client')
local events = require('emendo.events')
local file_window = require('emendo.server.file_window')
local messages = require('emendo.messages')
local paths = require('emendo.server.paths')
local project = require('emendo.server.project')
local words = require('emendo.words')

local M = {}

local joined = {} ---@type string[] absolute paths, in the order in which they joined

--- Returns the folders of the workspace, the server's own first.
function M.all()
  local root = client.server.root
  return vim.list_extend(root and { root } or {}, joined)
end

local function below(path, root)
  return path == root or vim.startswith(path, root == '/' and '/' or root .. '/')
end

--- Returns the folder that a path is in, or nil if it is in none.
function M.folder_of(path)
  return vim.iter(M.all()):find(function(root)
    return below(path, root)
  end)
end

local function folder(path)
  return { uri = vim.uri_from_fname(path), name = vim.fs.basename(path) }
end

--- Returns the workspace folders for initialize, for a server that is started in root.
--- Removes those that are below root or no longer exist.
---@return {uri: string, name: string}[]
function M.folders(root)
  joined = vim.tbl_filter(function(path)
    return not below(path, root) and vim.fn.isdirectory(path) == 1
  end, joined)
  return vim.tbl_map(folder, vim.list_extend({ root }, joined))
end

--- Adds a folder to the workspace of the running server.
---@return boolean added
function M.add(path)
  path = vim.uv.fs_realpath(path) or path
  if vim.fn.isdirectory(path) ~= 1 then
    messages.error(words.no_folder:format(path))
    return false
  elseif M.folder_of(path) then
    return false
  end
  table.insert(joined, path)
  local c = client.server.client
  if not client.server.ready or not c then
    return true -- initialize will send it
  end
  c.workspace_folders = vim.list_extend(c.workspace_folders or {}, { folder(path) })
  client.notify('workspace/didChangeWorkspaceFolders', { event = { added = { folder(path) }, removed = {} } })
  events.emit('folder_added')
  return true
end

--- Returns the project of a file buffer, or nil if the file is already in the workspace.
local function other_project(buf)
  local path = paths.of_buffer(buf)
  if not path or M.folder_of(path) then
    return nil
  end
  local root = project.of(buf)
  root = root and vim.uv.fs_realpath(root)
  local home = vim.uv.fs_realpath(vim.uv.os_homedir() or '/')
  if not root or root == home or client.server.root and below(client.server.root, root) then
    return nil -- a folder above the workspace, or the home directory, is not a project
  end
  return root
end

--- Adds the project of the current file to the workspace, as the user asks from there.
function M.add_current_project()
  local buf = client.server.ready and file_window.buffer()
  local root = buf and other_project(buf)
  if root and M.add(root) then
    messages.hint(words.joined:format(vim.fn.fnamemodify(root, ':~')))
  end
end

--- Returns the project of the current file, whether or not it is in the workspace.
function M.current_project()
  local buf = file_window.buffer()
  return buf and project.of(buf)
end

--- Returns the workspace folder of the current file, else the server's own.
function M.current_folder()
  local buf = file_window.buffer()
  local path = buf and paths.of_buffer(buf)
  return path and M.folder_of(path) or client.server.root
end

return M
