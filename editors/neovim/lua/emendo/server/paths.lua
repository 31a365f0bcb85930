-- Paths of files as the plugin compares them: absolute, with symlinks resolved.
local M = {}

--- Returns the path of a file buffer, or nil for a buffer without a file.
function M.of_buffer(buf)
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
function M.real(path)
  local real = vim.uv.fs_realpath(path)
  if real then
    return real
  end
  local parent = vim.uv.fs_realpath(vim.fs.dirname(path))
  return parent and vim.fs.joinpath(parent, vim.fs.basename(path)) or path
end

--- Returns the path of a URI that the server names.
function M.of_uri(uri)
  return vim.startswith(uri, 'file:') and M.real(vim.uri_to_fname(uri)) or uri
end

return M
