-- Attaches buffers to the server: every file buffer in the folders of the
-- workspace, including those that are opened later.
local client = require('emendo.server.client')

local M = {}

local group = vim.api.nvim_create_augroup('emendo.attach', {})

--- Returns the absolute path of a file buffer with symlinks resolved, or nil for a
--- buffer without a file.
---@param buf integer
---@return string?
function M.path(buf)
  if not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].buftype ~= '' then
    return nil
  end
  local name = vim.api.nvim_buf_get_name(buf)
  if name == '' or name:match('^%a[%w+.-]+://') then
    return nil
  end
  return M.real(name)
end

--- Resolves the symlinks of a path; for a file that does not exist, those of its
--- directory.
---@param path string
---@return string
function M.real(path)
  local real = vim.uv.fs_realpath(path)
  if real then
    return real
  end
  local parent = vim.uv.fs_realpath(vim.fs.dirname(path))
  return parent and vim.fs.joinpath(parent, vim.fs.basename(path)) or path
end

--- Converts a URI of the server to a path as in M.paths.
---@param uri string
---@return string
function M.uri_path(uri)
  return vim.startswith(uri, 'file:') and M.real(vim.uri_to_fname(uri)) or uri
end

--- Returns the loaded buffer of a path.
---@param path string
---@return integer?
function M.buffer(path)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if M.paths[buf] == path and vim.api.nvim_buf_is_loaded(buf) then
      return buf
    end
  end
end

---@type table<integer, string> the path of each attached buffer
M.paths = {}

local asked = {} ---@type table<integer, boolean> buffers from elsewhere that the user asks about

---@param buf integer
local function attach(buf)
  local path = M.path(buf)
  if not path or not (require('emendo.server.workspace').holds(path) or asked[buf]) then
    return
  end
  M.paths[buf] = path
  client.attach(buf)
  require('emendo.review.drawing').buffer(buf)
end

--- Opens a buffer on the server even if its file is outside the workspace, since the
--- user asks about it.
---@param buf integer
function M.also(buf)
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

--- Attaches the open buffers, and from now on every buffer that is opened.
function M.start()
  M.all()
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile', 'BufFilePost', 'BufWritePost' }, {
    group = group,
    callback = function(event)
      if event.event == 'BufReadPost' then
        require('emendo.review.drawing').again(event.buf)
      end
      if M.paths[event.buf] ~= M.path(event.buf) or not vim.lsp.buf_is_attached(event.buf, client.server.client.id) then
        attach(event.buf)
      end
    end,
  })
  vim.api.nvim_create_autocmd({ 'BufUnload' }, {
    group = group,
    callback = function(event)
      M.paths[event.buf], asked[event.buf] = nil, nil
      require('emendo.review.drawing').forget(event.buf)
    end,
  })
end

--- Forgets the buffers of a server that has ended.
function M.stop()
  vim.api.nvim_clear_autocmds({ group = group })
  M.paths = {}
end

return M
