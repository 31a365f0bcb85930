-- Goes to positions in files, in a window that shows files.
local layout = require('emendo.windows.layout')
local workspace = require('emendo.server.workspace')

local M = {}

--- Shows a buffer or file in the current window, or in a split if the window cannot
--- abandon its buffer, such as a modified one without 'hidden'.
---@param where integer|string
function M.show(where)
  local name = type(where) == 'string' and vim.fn.fnameescape(where) or where
  local how = type(where) == 'string' and { 'edit', 'split' } or { 'buffer', 'sbuffer' }
  if not pcall(vim.cmd, ('%s %s'):format(how[1], name)) then
    vim.cmd(('%s %s'):format(how[2], name))
  end
end

--- Goes to a line of a buffer or file.
---@param where integer|string
---@param line integer one-based
function M.to(where, line)
  layout.close_float()
  vim.api.nvim_set_current_win(layout.window_for_file(type(where) == 'number' and where or nil))
  vim.cmd("normal! m'")
  if type(where) == 'number' or where ~= vim.api.nvim_buf_get_name(0) then
    M.show(where)
  end
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.max(1, math.min(line, last)), 0 })
  vim.cmd('normal! zv')
end

--- Goes to a place that the server has named.
---@param place {uri: string, newUri?: string, range?: table}
function M.place(place)
  local uri = place.newUri or place.uri
  if not vim.startswith(uri, 'file:') then
    vim.ui.open(uri)
  else
    M.to(vim.uri_to_fname(uri), place.range and place.range.start.line + 1 or 1)
  end
end

--- Returns the absolute path of a file by its name: an absolute path, or one relative to
--- the current directory or a folder of the workspace. Returns nil if it does not exist.
---@param name string
---@return string?
function M.file(name)
  local candidates = { name }
  if not vim.startswith(name, '/') then
    candidates = {}
    for _, root in ipairs(vim.list_extend({ vim.fn.getcwd() }, workspace.all())) do
      candidates[#candidates + 1] = vim.fs.joinpath(root, name)
    end
  end
  for _, path in ipairs(candidates) do
    path = vim.fs.normalize(path, { expand_env = false })
    local stat = vim.uv.fs_stat(path)
    if stat and stat.type == 'file' then
      return path
    end
  end
end

--- Returns the file and line that a text names at or after a column, in the formats of
--- compilers, tests and models: `src/a.go:12`, `a.py", line 3` or `a.ts(4,2)`.
---@param text string
---@param column integer zero-based
---@param exact? boolean at the column, and not after it
---@return string? path
---@return integer line one-based
function M.named(text, column, exact)
  local from = 1
  while true do
    local first, last = text:find('[^%s`\'"<>|%(%)%[%]{}*,;]+', from)
    if not first or exact and first - 1 > column then
      return nil, 1
    end
    if column < last then
      local word = text:sub(first, last):gsub('^@', ''):gsub('[.:!?]+$', '')
      local name, line = word:match('^(.-):(%d+)')
      if not name then
        name, line = word:match('^(.-)#L(%d+)')
      end
      local path = M.file(name or word)
      if path then
        local rest = text:sub(last + 1)
        line = line or rest:match('^["\')]*,? lines? (%d+)') or rest:match('^%((%d+)')
        return path, tonumber(line) or 1
      end
    end
    from = last + 1
  end
end

--- Opens the file that is named at the cursor, or after it in the line, in a window for
--- files.
---@param exact? boolean at the cursor alone
---@return boolean opened
function M.under_cursor(exact)
  local path, line = M.named(vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2], exact)
  if path then
    M.to(path, line)
  end
  return path ~= nil
end

--- Handles window/showDocument, which follows a command of the user. Documents are not
--- shown in the windows of the panel.
function M.show_document(params)
  if params.external then
    vim.ui.open(params.uri)
  else
    local path = vim.uri_to_fname(params.uri)
    M.to(path, (vim.tbl_get(params, 'selection', 'start', 'line') or 0) + 1)
    if path:match('%.log$') and vim.api.nvim_buf_get_name(0) == path then
      vim.bo.modifiable, vim.bo.autoread = false, true -- the server keeps writing to it
      vim.cmd.normal({ 'G', bang = true }) -- what has just happened
    end
  end
  return { success = true }
end

return M
