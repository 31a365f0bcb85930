-- A tool call as a line that shows its state, with its output folded. While it runs, the
-- end of its output is shown below, or the calls of the agent that it started.
local client = require('emendo.server.client')
local visible = require('emendo.text.visible')

local M = {}

-- How many of the last lines of a call's output are kept, and how many of them are shown
-- while it runs.
local most_lines, live_lines = 500, 5

---@type table<string, {mark: string, group: string}>
local states = {
  validating = { mark = '○', group = 'EmendoToolPending' },
  scheduled = { mark = '○', group = 'EmendoToolPending' },
  awaiting_approval = { mark = '?', group = 'EmendoToolWaiting' },
  awaiting_review = { mark = '?', group = 'EmendoToolWaiting' },
  executing = { mark = '●', group = 'EmendoToolRunning' },
  success = { mark = '✓', group = 'EmendoToolDone' },
  error = { mark = '✗', group = 'EmendoToolFailed' },
  cancelled = { mark = '⊘', group = 'EmendoToolFailed' },
}

--- Reports whether a call has ended.
---@param call table
---@return boolean
function M.ended(call)
  return call.state == 'success' or call.state == 'error' or call.state == 'cancelled'
end

--- Merges an update into a call. Fields that the update omits stay unchanged.
---@param call table
---@param update table
function M.merge(call, update)
  local meta = vim.tbl_get(update, '_meta', 'emendo') or {}
  call.name = update.name or call.name
  call.title = update.title or call.title
  call.kind = update.kind or call.kind
  call.content = update.content or call.content
  call.locations = update.locations or call.locations
  call.state = meta.state or call.state
  call.summary = meta.summary or call.summary
  call.duration = meta.durationMs or call.duration
  call.error = meta.errorType or call.error
  call.change_set = meta.changeSetId or call.change_set
end

--- Returns a duration in readable form.
---@param ms integer
---@return string
local function span(ms)
  return ms < 1000 and ('%d ms'):format(ms) or ('%.1f s'):format(ms / 1000)
end

local function diff_lines(part)
  local diff = vim.diff(part.oldText or '', part.newText or '', { ctxlen = 2 })
  local lines = visible.lines((diff:gsub('\r\n', '\n')))
  table.insert(lines, 1, visible.line(vim.fn.fnamemodify(part.path or '', ':~:.')))
  return lines
end

--- Returns the lines of a text, without the code fence around output.
local function text_lines(text)
  local lines = vim.split((text:gsub('\r', ''):gsub('\n+$', '')), '\n', { plain = true })
  local fence = lines[1]:match('^```+')
  if fence and #lines > 1 and lines[#lines] == fence then
    lines = vim.list_slice(lines, 2, #lines - 1)
  end
  return lines
end

---@param call table
---@return string[]
local function output(call)
  local lines = {}
  for _, part in ipairs(call.content or {}) do
    if part.type == 'diff' then
      vim.list_extend(lines, diff_lines(part))
    elseif part.type == 'content' and part.content.type == 'text' then
      vim.list_extend(lines, text_lines(part.content.text))
    end
  end
  if #lines > most_lines then
    local left = #lines - most_lines
    lines = vim.list_slice(lines, left + 1)
    table.insert(lines, 1, ('(%d lines before this are left out)'):format(left))
  end
  return vim.tbl_map(function(line)
    return (call.parent and '      ' or '    ') .. line
  end, lines)
end

-- Texts for some error types. The names of the others are clear by themselves.
local words = { policy_violation = 'not allowed', untrusted_workspace = 'the folder is restricted' }

--- Reports whether a command exited with an error, which does not make the call fail.
local function failed(call)
  local status = call.state == 'success' and (call.summary or ''):match('^exit (%d+)')
  return status and status ~= '0'
end

--- Returns a summary with paths relative to the server's folder.
local function nearer(text)
  local root = client.server.root
  return root and (text:gsub(vim.pesc(root) .. '/', '')) or text
end

--- Returns the detail to show after the title of a call, and its highlight group.
---@return string
---@return string
local function detail(call)
  if call.state == 'awaiting_approval' then
    return 'waits for you', 'EmendoToolWaiting'
  elseif call.state == 'awaiting_review' then
    return 'waits for your decision on the edits before it', 'EmendoToolWaiting'
  elseif call.summary and call.summary ~= '' then
    local text = nearer(call.summary:gsub('%s*\n%s*', ' '))
    return text, failed(call) and 'EmendoToolFailed' or 'EmendoToolDetail'
  elseif call.error and call.error ~= 'cancelled' and (call.state == 'error' or call.state == 'cancelled') then
    return words[call.error] or call.error:gsub('_', ' '), 'EmendoToolFailed'
  elseif call.state == 'cancelled' then
    return 'cancelled', 'EmendoToolDetail'
  elseif call.duration and call.duration >= 100 then
    return span(call.duration), 'EmendoToolDetail'
  end
  return '', 'EmendoToolDetail'
end

--- The width of a line in the panel, in columns.
M.columns = 60

--- Renders a call into its block. While the block is folded, the line is cut to fit.
---@param block emendo.Block
function M.render(block)
  local call = block.call
  local state = failed(call) and states.error or states[call.state] or states.validating
  local title = (call.title or call.name or 'tool'):gsub('%s*\n%s*', ' ')
  local line, marks = '', {}
  local function put(text, group)
    marks[#marks + 1] = { line = 0, from = #line, to = #line + #text, group = group }
    line = line .. text
  end
  local says, group = detail(call)
  block.body = output(call)
  local whole = title
  if not block.open then
    local shorter = visible.shortened
    local room, wide = M.columns - (call.parent and 8 or 6), vim.fn.strdisplaywidth(says)
    if says ~= '' and wide + 2 <= 0.4 * room then
      title = shorter(title, room - wide - 2)
    else
      title = shorter(title, math.max(room - wide - 2, math.floor(0.7 * room)))
      local left = room - vim.fn.strdisplaywidth(title) - 2
      says = left >= 4 and shorter(says, left) or ''
    end
    if title ~= whole and #block.body == 0 then
      block.body = { (call.parent and '      ' or '    ') .. whole }
    end
  end
  put(call.parent and '  ' or '', state.group)
  put(state.mark, state.group)
  put(' ' .. title, 'EmendoTool')
  put(says ~= '' and '  ' .. says or '', group)
  if #block.body > 0 then
    put((says ~= '' and ' · ' or '  ') .. (block.open and '▾' or '▸'), 'EmendoToolDetail')
  end
  block.head, block.marks = { line }, marks
  if call.state == 'executing' and not block.open and not call.inner then
    for _, text in ipairs(vim.list_slice(block.body, math.max(1, #block.body - live_lines + 1))) do
      table.insert(marks, { line = #block.head, from = 0, to = -1, group = 'EmendoToolDetail' })
      table.insert(block.head, text)
    end
  end
end

return M
