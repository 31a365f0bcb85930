-- Attaches buffers to the server: every file buffer in the folders of the
-- workspace, including those that are opened later.
local client = require('emendo.server.client')
local events = require('emendo.events')
local paths = require('emendo.server.paths')
local workspace = require('emendo.server.workspace')

local M = {}

--- Returns the loaded buffer of a path.
function M.of_path(path)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if M.paths[buf] == path and vim.api.nvim_buf_is_loaded(buf) then
      return buf
    end
  end
end

---@type table<integer, string> the path of each attached buffer; handlers.lua empties it when the server ends
M.paths = {}

local asked = {} ---@type table<integer, boolean> buffers from elsewhere that the user asks about

local function attach(buf)
  local path = paths.of_buffer(buf)
  if not path or not (workspace.folder_of(path) or asked[buf]) then
    return
  end
  M.paths[buf] = path
  vim.lsp.buf_attach_client(buf, client.server.client.id)
  events.emit('attached', buf)
end

--- Opens a buffer on the server even if its file is outside the workspace, since the
--- user asks about it.
function M.include(buf)
  asked[buf] = true
  if client.server.ready then
    attach(buf)
  end
end

--- Attaches every open buffer that is in the workspace.
function M.all()
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if not M.paths[buf] then
      attach(buf)
    end
  end
end

events.after({ 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufWritePost' }, function(event)
  local c = client.server.ready and client.server.client
  if c and (M.paths[event.buf] ~= paths.of_buffer(event.buf) or not vim.lsp.buf_is_attached(event.buf, c.id)) then
    attach(event.buf)
  end
end)
events.after('BufUnload', function(event)
  M.paths[event.buf], asked[event.buf] = nil, nil
end)

--- Reloads files that a command has changed on disk, if 'autoread' is set and the buffer
--- is not modified.
function M.reread()
  for buf in pairs(M.paths) do
    if vim.api.nvim_buf_is_loaded(buf) and not vim.bo[buf].modified and vim.bo[buf].autoread then
      pcall(vim.cmd, 'silent! checktime ' .. buf)
    end
  end
end

events.on('folder_added', M.all)

return M
