-- Finds the project of a file. vim.fs.root and vim.fs.normalize are not used because they
-- expand `$NAME` in the name of a file as a variable.
local config = require('emendo.config')

local M = {}

local function marked(folder)
  return vim.iter(config.options.root_markers):any(function(marker)
    return vim.uv.fs_stat(vim.fs.joinpath(folder, marker)) ~= nil
  end)
end

--- Returns the nearest folder with a root marker, at or above a folder.
function M.above(folder)
  return vim.iter(vim.fs.parents(folder .. '/.')):find(marked)
end

--- Returns the project of a buffer. For a buffer that is not a file, returns that of the
--- current folder.
function M.of(buf)
  local name = vim.bo[buf].buftype == '' and vim.api.nvim_buf_get_name(buf) or ''
  return M.above(name ~= '' and vim.fs.dirname(name) or vim.fn.getcwd())
end

--- Returns a path that the user typed: unchanged if there is such a file, else with `~` and
--- `$NAME` expanded as Neovim's own commands do.
function M.typed(path)
  return vim.uv.fs_stat(path) and path or vim.fs.normalize(path)
end

return M
