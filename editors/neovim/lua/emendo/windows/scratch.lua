-- Named buffers of our own. A name may be in use already: by a buffer that the user deleted,
-- or by an empty one that a session file created.
local M = {}

--- Returns the buffer that has exactly this name, or nil.
---@param but? integer a buffer that does not count
function M.named(name, but)
  return vim.iter(vim.api.nvim_list_bufs()):find(function(buf)
    return buf ~= but and vim.api.nvim_buf_get_name(buf) == name
  end)
end

--- Wipes out the buffer with a name, which closes its windows.
---@param but? integer a buffer that stays
---@return integer? wiped
function M.wipe(name, but)
  local buf = M.named(name, but)
  if buf then
    pcall(vim.api.nvim_buf_delete, buf, { force = true })
  end
  return buf
end

--- Creates a buffer that is not a file and stays loaded when no window shows it. Wipes out
--- any other buffer with its name.
---@param lines? string[]
function M.new(name, lines)
  M.wipe(name)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, name)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines or {})
  vim.bo[buf].bufhidden = 'hide'
  return buf
end

return M
