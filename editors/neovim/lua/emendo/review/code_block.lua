-- Proposes a code block of an answer as the user's own change, which is reviewed
-- like a change of the model.
local buffers = require('emendo.server.buffers')
local client = require('emendo.server.client')
local file_window = require('emendo.server.file_window')
local jump = require('emendo.windows.jump')
local messages = require('emendo.messages')
local paths = require('emendo.server.paths')
local plural = require('emendo.text.plural')
local session = require('emendo.session')
local workspace = require('emendo.server.workspace')

local M = {}

-- A block replaces the whole file if it starts and ends with the file's first and
-- last line and has at least this share of the file's lines.
local whole = 0.6

---@param line string
local function indent(line)
  return line:match('^%s*') --[[@as string]]
end

---@param line string
local function blank(line)
  return line:match('^%s*$') ~= nil
end

--- Removes blank lines at the start and at the end.
---@param lines string[]
---@return string[]
local function filled(lines)
  local first, last = 1, #lines
  while first <= last and blank(lines[first]) do
    first = first + 1
  end
  while last >= first and blank(lines[last]) do
    last = last - 1
  end
  return vim.list_slice(lines, first, last)
end

--- Joins lines to a text, with `more` before each line that is not empty.
---@param lines string[]
---@param more string
local function text(lines, more)
  local all = {}
  for i, line in ipairs(lines) do
    all[i] = (line == '' and '' or more .. line) .. '\n'
  end
  return table.concat(all)
end

--- Returns the last line of a passage whose lines are indented more than its first,
--- or nil if there are none.
---@param lines string[]
---@param start integer one-based
---@return integer? last
local function indented(lines, start)
  local last
  for at = start + 1, #lines do
    if not blank(lines[at]) then
      if #indent(lines[at]) <= #indent(lines[start]) then
        break
      end
      last = at
    end
  end
  return last
end

---@class emendo.Spot lines that a block replaces; none if last is before first
---@field first integer one-based
---@field last integer
---@field text string

--- Finds the lines that a block replaces: from the only line that equals the first
--- line of the block, whatever its indentation, to the next one that equals the last
--- line, or as far as lines are indented more. A block without a match is inserted
--- before the cursor line.
---@param lines string[] the file's
---@param block string[]
---@param cursor integer one-based
---@return emendo.Spot
function M.place(lines, block, cursor)
  local wanted, there = filled(block), filled(lines)
  local first, last = wanted[1], wanted[#wanted]
  if #there == 0 then
    return { first = 1, last = #lines, text = text(wanted, '') }
  elseif there[1] == first and there[#there] == last and #wanted >= #there * whole then
    return { first = 1, last = #lines, text = text(wanted, '') }
  end
  local starts = {}
  for at, line in ipairs(lines) do
    if vim.trim(line) == vim.trim(first) then
      starts[#starts + 1] = at
    end
  end
  if #starts == 1 then
    local start = starts[1]
    local deep = indent(lines[start])
    local more = deep:sub(1, math.max(0, #deep - #indent(first)))
    local stop
    if #indent(last) > #indent(first) then
      stop = indented(lines, start)
    else
      for at = start + 1, #lines do
        if lines[at]:gsub('%s+$', '') == (more .. last):gsub('%s+$', '') then
          stop = at
          break
        end
      end
    end
    if stop then
      return { first = start, last = stop, text = text(wanted, more) }
    end
  end
  return { first = cursor, last = cursor - 1, text = text(wanted, '') }
end

--- Returns the file name in the text after a fence, such as `go title="a/b.go"`,
--- `go:a/b.go` or `go a/b.go`.
---@param info string
---@return string?
local function name_in(info)
  for _, pattern in ipairs({ '[%w_]+="([^"]+)"', '^%S-:(%S+)$', '^%S+%s+(%S+)$', '^(%S+/%S+)$', '^(%S+%.%w+)$' }) do
    local name = info:match(pattern)
    if name and name:find('[./]') then
      return name
    end
  end
end

--- Returns the path of the file that a block is for, if the answer names one: after
--- the fence, where the file need not exist, or alone in the line above.
---@param code emendo.Code
---@return string?
function M.target(code)
  local name = name_in(code.info)
  if name then
    local root = workspace.current_folder() or vim.fn.getcwd()
    return jump.file(name) or (vim.startswith(name, '/') and name or vim.fs.joinpath(root, name))
  end
  local alone = code.before:gsub('[*#`]', ''):gsub('[:%s]+$', ''):gsub('^%s+', '')
  if not alone:find('%s') and alone ~= '' then
    return jump.file(alone) or jump.file((alone:gsub('^_+', ''):gsub('[_:]+$', '')))
  end
end

--- Reads a file from its buffer, or else from disk. Also returns the line before which
--- a block without a match is inserted.
---@param path string
---@return string[]? lines nil for a file that does not exist
---@return integer cursor one-based
local function read(path)
  local buf = buffers.of_path(paths.real(path))
  if buf then
    buffers.include(buf)
    local win = vim.fn.bufwinid(buf)
    local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
    return lines, win ~= -1 and vim.api.nvim_win_get_cursor(win)[1] or #lines + 1
  elseif vim.fn.filereadable(path) == 0 then
    return nil, 1
  end
  local lines = vim.fn.readfile(path)
  return lines, #lines + 1
end

---@param path string
---@param params table
local function send(path, params)
  local short = vim.fn.fnamemodify(path, ':~:.')
  local s = session.current
  params.uri = vim.uri_from_fname(path)
  params.title = 'Apply code to ' .. short
  params.sessionId = s and not s.stale and s.id or nil
  client.request('emendo/changes/propose', params, function(err, result)
    if err then
      return messages.error(client.error_text(err))
    end
    local n = 0
    for _, file in ipairs(result.changeSet.files) do
      n = n + #file.hunks
    end
    messages.info(('proposed %s in %s; :Emendo next goes there'):format(plural(n, 'hunk'), short))
  end)
end

--- Proposes a code block for the file that the answer names, else for the current
--- file.
---@param code emendo.Code
function M.propose(code)
  if #filled(code.lines) == 0 then
    return messages.warn('the code block is empty')
  end
  local path = M.target(code)
  if not path then
    local buf = file_window.buffer()
    path = buf and paths.of_buffer(buf)
  end
  if not path then
    return messages.warn('no file is open: open the one that this code is for')
  end
  client.ensure(function(err)
    if err then
      return
    end
    local lines, cursor = read(path)
    if not lines then
      return send(path, { newText = table.concat(code.lines, '\n') .. '\n' })
    end
    local spot = M.place(lines, code.lines, cursor)
    local range = { start = { line = spot.first - 1, character = 0 }, ['end'] = { line = math.max(spot.first - 1, spot.last), character = 0 } }
    send(path, { range = range, newText = spot.text })
  end)
end

return M
