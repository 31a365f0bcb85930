-- Draws hunks into their buffers: old lines are highlighted, new ones are shown below
-- them as virtual lines. The text does not change before a hunk is accepted. Extmarks
-- move with the text as the user types.
local buffers = require('emendo.server.buffers')
local changes = require('emendo.review.changes')
local config = require('emendo.config')
local events = require('emendo.events')
local keys = require('emendo.keys')
local syntax = require('emendo.text.syntax')
local visible = require('emendo.text.visible')
local word_diff = require('emendo.text.word_diff')
local wrap = require('emendo.text.wrap')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.hunks')

---@class emendo.Drawn
---@field ids integer[] extmarks; the first stands where the hunk begins
---@field key string what was drawn
---@field state string the hunk's then
---@type table<integer, table<string, emendo.Drawn>> by buffer and hunk
local drawn = {}

require('emendo.highlights')

--- Splits a text into lines. A final line break is optional.
---@param text string
---@return string[]
function M.lines(text)
  if text == '' then
    return {}
  end
  text = text:gsub('\r\n', '\n'):gsub('\n$', '')
  return vim.split(text, '\n', { plain = true })
end

--- Returns the text width of a buffer's narrowest window.
---@param buf integer
---@return integer
local function columns(buf)
  local least = vim.o.columns
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    least = math.min(least, info.width - info.textoff)
  end
  return math.max(least, 10)
end

--- Hunks with more lines than this get no syntax colours, nor do the hunks of a buffer
--- with more hunks than this.
local most_lines, most_hunks = 200, 200

---@class emendo.Look what is worked out of a hunk once
---@field old emendo.Span[][] changed words of its old lines
---@field rows emendo.Row[] its new lines, as virtual lines
---@field used integer columns of the first row that have text

--- Computes what a hunk looks like in a buffer.
---@param buf integer
---@param h emendo.Hunk
---@param width integer
---@param coloured boolean
---@return emendo.Look
local function look(buf, h, width, coloured)
  local before, after = M.lines(h.hunk.oldText), M.lines(h.hunk.newText)
  local old, new = word_diff.changed(before, after)
  local colours = coloured and #after <= most_lines and syntax.spans(syntax.language(vim.bo[buf].filetype), after) or {}
  local opts, rows, used = { width = width, tab = vim.bo[buf].tabstop, base = 'EmendoAdd' }, {}, 0
  for i, line in ipairs(after) do
    local wrapped, first = wrap.line(line, opts, colours[i] or {}, new[i] or {})
    used = i == 1 and first or used
    vim.list_extend(rows, wrapped)
  end
  return { old = old, rows = rows, used = used }
end

--- Returns the result of checking a file's proposed text with a language server; empty if
--- none checks it.
---@param file table
---@return string
function M.verification(file)
  local v = file.verification
  if not v then
    return ''
  elseif v.state == 'problems' then
    return v.introduced == 1 and '1 new error' or ('%d new errors'):format(v.introduced)
  elseif v.state == 'verified' then
    return 'verified'
  elseif v.state == 'unverified' and v.reason then
    return 'not verified: ' .. visible.line(v.reason)
  end
  return ''
end

--- Returns the hint beside a hunk: the keys, or else the commands, that decide it.
---@param h emendo.Hunk
---@param names string[]
---@return string
function M.hint(h, names)
  if not config.options.hints then
    return ''
  end
  local says = {}
  for _, name in ipairs(names) do
    local key = keys.lhs(name)
    says[#says + 1] = key and ('%s %s'):format(keys.shown(key), name) or ':Emendo ' .. name
  end
  if h.hunk.newText == '' then
    table.insert(says, 1, h.state == 'accepted' and 'deleted here' or 'delete')
  end
  local verification = h.state == 'pending' and M.verification(h.file) or ''
  if verification ~= '' then
    says[#says + 1] = verification
  end
  return table.concat(says, ' · ')
end

local function key_of(h, width)
  return table.concat({ h.state, tostring(h.applied), h.hunk.oldText, h.hunk.newText, h.hunk.reason or '', width }, '\0')
end

--- Reports whether the buffer has the old text of a hunk at a row.
local function matches(buf, row, h)
  local old = M.lines(h.hunk.oldText)
  local now = vim.api.nvim_buf_get_lines(buf, row, row + #old, false)
  for i, line in ipairs(now) do
    now[i] = line:gsub('\r$', '')
  end
  return vim.deep_equal(old, now)
end

--- Scrolls virtual lines above the first line of a buffer into view, in windows that
--- have that line at the top.
local function reveal_top(buf, count)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.fn.line('w0', win) == 1 then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview({ topline = 1, topfill = math.min(count, vim.api.nvim_win_get_height(win) - 1) })
      end)
    end
  end
end

local function put(buf, row, opts)
  opts.strict = false
  return vim.api.nvim_buf_set_extmark(buf, ns, row, 0, opts)
end

--- Reports whether a remark after a line of a buffer fits into `width` columns.
---@param buf integer
---@param row integer
---@param remark string
---@param width integer
---@return boolean
local function fits_behind(buf, row, remark, width)
  local line, tab, used = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or '', vim.bo[buf].tabstop, 0
  for part, stop in line:gmatch('([^\t]*)(\t?)') do
    used = used + vim.fn.strdisplaywidth(part)
    used = stop ~= '' and used + tab - used % tab or used
  end
  local win = vim.fn.win_findbuf(buf)[1]
  if win and vim.wo[win].wrap then
    used = used % width -- in the last row
  end
  return used + 1 + vim.fn.strdisplaywidth(remark) <= width
end

--- Returns the highlight group of the sign for a hunk: added, deleted or changed lines.
local function sign(h)
  if not config.options.signs then
    return nil
  elseif h.hunk.oldText == '' then
    return 'EmendoSignAdd'
  elseif h.hunk.newText == '' then
    return 'EmendoSignDelete'
  end
  return 'EmendoSign'
end

---@return integer[]
local function pending(buf, h, row, width, coloured)
  local count = vim.api.nvim_buf_line_count(buf)
  local old = #M.lines(h.hunk.oldText)
  local seen = look(buf, h, width, coloured)
  local first = math.min(row, count - 1)
  local mark, says = { priority = 150 }, M.hint(h, { 'accept', 'reject' })
  mark.sign_hl_group = sign(h)
  mark.sign_text = mark.sign_hl_group and '▎'
  local ids = {}
  if says ~= '' and old > 0 and (not seen.rows[1] or fits_behind(buf, first, says, width)) then
    mark.virt_text, mark.virt_text_pos = { { says, { 'EmendoDelete', 'EmendoHint' } } }, 'eol'
  elseif says ~= '' and seen.rows[1] then
    local opts = { width = width, base = 'EmendoAdd' }
    if not wrap.remark(seen.rows[1], seen.used, says, { 'EmendoAdd', 'EmendoHint' }, opts) then
      local row_of_its_own = wrap.line('', opts)[1]
      if wrap.remark(row_of_its_own, 0, says, { 'EmendoAdd', 'EmendoHint' }, opts) then
        table.insert(seen.rows, row_of_its_own)
      end
    end
  end
  ids[1] = put(buf, first, mark)
  if old > 0 then
    ids[2] = put(buf, first, { end_row = row + old, end_col = 0, hl_group = 'EmendoDelete', hl_eol = true, priority = 150 })
    for i, spans in ipairs(seen.old) do
      for _, span in ipairs(spans) do
        ids[#ids + 1] = vim.api.nvim_buf_set_extmark(buf, ns, row + i - 1, span.from, { end_col = span.to, hl_group = span.group, priority = 151, strict = false })
      end
    end
  end
  if #seen.rows > 0 then
    local last = math.min(row + old, count) - 1
    local above = last < 0
    ids[#ids + 1] = put(buf, math.max(last, 0), { virt_lines = seen.rows, virt_lines_above = above })
    if above then
      reveal_top(buf, #seen.rows)
    end
  end
  return ids
end

--- Highlights a hunk that was applied without asking the user.
---@return integer[]
local function applied(buf, h, row)
  local count = vim.api.nvim_buf_line_count(buf)
  local new = M.lines(h.hunk.newText)
  local mark, says = { priority = 150 }, M.hint(h, { 'reject' })
  if config.options.signs then
    mark.sign_text, mark.sign_hl_group = '▎', 'EmendoApplied'
  end
  if says ~= '' then
    mark.virt_text, mark.virt_text_pos = { { says, { 'EmendoAdd', 'EmendoHint' } } }, 'eol'
  end
  local ids = { put(buf, math.min(row, count - 1), mark) }
  if #new > 0 then
    ids[2] = put(buf, math.min(row, count - 1), { end_row = math.min(row + #new, count), end_col = 0, hl_group = 'EmendoAdd', hl_eol = true, priority = 90 })
    local _, changed = word_diff.changed(M.lines(h.hunk.oldText), new)
    for i, spans in ipairs(changed) do
      for _, span in ipairs(spans) do
        ids[#ids + 1] = vim.api.nvim_buf_set_extmark(buf, ns, row + i - 1, span.from, { end_col = span.to, hl_group = span.group, priority = 91, strict = false })
      end
    end
  end
  return ids
end

---@return integer[]
local function conflicted(buf, h, row)
  local says = 'emendo: this change does not fit any more' .. (h.hunk.reason and ': ' .. h.hunk.reason:gsub('%s+', ' ') or '')
  return { put(buf, math.min(row, vim.api.nvim_buf_line_count(buf) - 1), { virt_text = { { says, 'EmendoConflict' } }, virt_text_pos = 'eol', priority = 150 }) }
end

local function erase(buf, id)
  for _, mark in ipairs(drawn[buf][id].ids) do
    vim.api.nvim_buf_del_extmark(buf, ns, mark)
  end
  drawn[buf][id] = nil
end

--- Returns the row where a hunk starts in its buffer: the position of its extmark, or the
--- row that the server reports if the hunk is not drawn in its current state.
---@param h emendo.Hunk
---@param buf integer
---@return integer zero-based
function M.row(h, buf)
  local d = drawn[buf] and drawn[buf][h.id]
  local at = d and d.state == h.state and vim.api.nvim_buf_get_extmark_by_id(buf, ns, d.ids[1], {})
  return at and at[1] or h.row
end

--- Redraws the windows of a buffer completely: Neovim 0.12 omits lines when virtual lines
--- are removed while others are added.
---@param buf integer
local function redraw(buf)
  for _, win in ipairs(vim.api.nvim__redraw and vim.fn.win_findbuf(buf) or {}) do
    vim.api.nvim__redraw({ win = win, valid = false })
  end
end

--- Draws the hunks of a buffer that have changed.
---@param buf integer
function M.buffer(buf)
  local path = buffers.paths[buf]
  local list = path and changes.hunks({ 'pending', 'conflicted', 'applied' }, path) or {}
  drawn[buf] = drawn[buf] or {}
  local wanted, changed, width = {}, false, columns(buf)
  for _, h in ipairs(list) do
    wanted[h.id] = true
    local d = drawn[buf][h.id]
    local moved = d and M.row(h, buf) ~= h.row and h.state == 'pending' and matches(buf, h.row, h)
    if not d or d.key ~= key_of(h, width) or moved then
      changed = true
      local row = d and not moved and h.state ~= 'conflicted' and M.row(h, buf) or h.row
      if d then
        erase(buf, h.id)
      end
      local ids
      if h.state == 'pending' then
        ids = pending(buf, h, row, width, #list <= most_hunks)
      elseif h.state == 'conflicted' then
        ids = conflicted(buf, h, row)
      else
        ids = applied(buf, h, h.row)
      end
      drawn[buf][h.id] = { ids = ids, key = key_of(h, width), state = h.state }
    end
  end
  for id in pairs(drawn[buf]) do
    if not wanted[id] then
      changed = true
      erase(buf, id)
    end
  end
  if changed then
    redraw(buf)
    vim.schedule(function() -- the sign column may have appeared or disappeared
      if drawn[buf] and next(drawn[buf]) and vim.api.nvim_buf_is_loaded(buf) and columns(buf) ~= width then
        M.soon(buf)
      end
    end)
  end
end

-- Buffers to draw after a delay: when many hunks are decided at once, many changes of
-- state arrive together.
local due = {} ---@type table<integer, boolean>
local timer = assert(vim.uv.new_timer())
local delay = 10 -- ms

--- Schedules drawing the hunks of a buffer, together with other changes.
---@param buf integer
function M.soon(buf)
  due[buf] = true
  if timer:is_active() then
    return
  end
  timer:start(
    delay,
    0,
    vim.schedule_wrap(function()
      local bufs = due
      due = {}
      for b in pairs(bufs) do
        if vim.api.nvim_buf_is_loaded(b) then
          M.buffer(b)
        end
      end
    end)
  )
end

--- Scrolls the current window so that the hunk at the cursor is shown completely, including
--- its added lines, if there is room.
---@param h emendo.Hunk
function M.reveal(h)
  local buf, win = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local count, old = vim.api.nvim_buf_line_count(buf), #M.lines(h.hunk.oldText)
  local row = math.min(M.row(h, buf), count - 1)
  local rows = vim.api.nvim_win_text_height(win, { start_row = row, end_row = math.min(row + math.max(old, 1), count) - 1 }).all
  rows = rows + #look(buf, h, columns(buf), false).rows
  local height = vim.api.nvim_win_get_height(win)
  if vim.fn.winline() + rows - 1 > height then
    local top = row + 1
    local room = height - rows
    while top > 1 and room > 0 do
      room = room - vim.api.nvim_win_text_height(win, { start_row = top - 2, end_row = top - 2 }).all
      top = room >= 0 and top - 1 or top
    end
    vim.fn.winrestview({ topline = top })
  end
end

--- Erases everything.
local function clear()
  for buf in pairs(drawn) do
    if vim.api.nvim_buf_is_valid(buf) then
      vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
      redraw(buf)
    end
  end
  drawn = {}
end

events.on('attached', M.buffer)
events.on('hunks_cleared', clear)
events.on('hunks_changed', function(buf, new)
  if new then
    M.buffer(buf)
  else
    M.soon(buf)
  end
end)

local group = vim.api.nvim_create_augroup('emendo.draw', {})
vim.api.nvim_create_autocmd({ 'WinResized', 'BufWinEnter' }, {
  group = group,
  callback = function() -- added lines wrap at the edge of the window
    for buf, marks in pairs(drawn) do
      if next(marks) then
        M.soon(buf)
      end
    end
  end,
})
vim.api.nvim_create_autocmd('BufReadPost', {
  group = group,
  callback = function(event) -- a file that is read again has none of the marks
    vim.api.nvim_buf_clear_namespace(event.buf, ns, 0, -1)
    drawn[event.buf] = nil
    M.soon(event.buf)
  end,
})
vim.api.nvim_create_autocmd('BufUnload', {
  group = group,
  callback = function(event)
    drawn[event.buf] = nil
  end,
})

return M
