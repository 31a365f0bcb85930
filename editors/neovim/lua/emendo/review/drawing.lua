-- Draws hunks into their buffers: lines that would go are highlighted, those that would come
-- are shown below them as virtual lines. The text does not change before a hunk is accepted.
-- Extmarks move with the text as the user types.
local buffers = require('emendo.server.buffers')
local changes = require('emendo.review.changes')
local config = require('emendo.config')
local events = require('emendo.events')
local keys = require('emendo.keys')
local position = require('emendo.server.position')
local syntax = require('emendo.text.syntax')
local window = require('emendo.session.window')
local wrap = require('emendo.text.wrap')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.hunks')

---@class emendo.Drawn
---@field ids integer[] extmarks; the first stands where the hunk begins
---@field hunk emendo.Hunk as it was drawn
---@field width integer of the window
---@field added integer virtual lines
---@type table<integer, table<string, emendo.Drawn>> by buffer and hunk
local drawn = {}

local awaited ---@type string? a hunk that is to be shown completely once it is drawn

require('emendo.highlights')

local function columns(buf)
  return math.max(wrap.room(buf), 10)
end

--- Hunks with more lines than this get no syntax colours, nor do the hunks of a buffer
--- with more hunks than this.
local most_lines, most_hunks = 200, 200

--- How long hunks are drawn without a pause, in nanoseconds.
local stretch = 10e6

--- Returns the spans of the words of a row that changed.
---@param row table
local function words_of(row, group)
  return vim.tbl_map(function(span)
    return { from = position.byte(row[2], span[1]), to = position.byte(row[2], span[2]), group = group }
  end, row[3] or {})
end

--- The actions of the keys and commands that decide, by the state of a hunk.
M.actions = {
  pending = { accept = 'accept', reject = 'reject' },
  unreviewed = { accept = 'keep', reject = 'undo' },
  conflicted = { accept = 'accept', reject = 'dismiss' },
}

--- Returns what stands beside a hunk: what it is about, unless its lines show that, the keys
--- that decide it, or else the commands, and facts about it, if there is room for them.
---@param room integer columns
function M.hint(h, room)
  local says, code = {}, h.label.code
  local seen = code == 'hunk.modify' or code == 'hunk.applied_modify' and vim.iter(h.rows or {}):any(function(row)
    return row[1] == '+'
  end)
  if not seen then
    says[1] = h.label.text:gsub('%s+', ' ')
  end
  if not config.options.hints then
    return h.state == 'conflicted' and says[1] or ''
  end
  for _, name in ipairs({ 'accept', 'reject' }) do
    for _, action in ipairs(window.view:actions(h)) do
      local key = keys.lhs(name)
      if action.id == M.actions[h.state][name] then
        says[#says + 1] = key and ('%s %s'):format(keys.shown(key), action.title.short or action.title.text) or ':Emendo ' .. name
      end
    end
  end
  local text = table.concat(says, ' · ')
  for _, mark in ipairs(h.marks or {}) do
    local more = (text ~= '' and text .. ' · ' or '') .. mark.text.text:gsub('%s+', ' ')
    text = vim.fn.strdisplaywidth(more) <= room and more or text
  end
  return text
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

local function put(buf, row, opts, col)
  opts.strict = false
  return vim.api.nvim_buf_set_extmark(buf, ns, row, col or 0, opts)
end

--- Reports whether a remark after a line of a buffer fits into `width` columns.
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

---@class emendo.Block rows of a hunk that follow each other and have the same mark
---@field mark string
---@field at integer the row of the buffer at which they stand, or below which they come
---@field rows table[]

--- Returns the rows of a hunk in blocks.
---@param row integer where the hunk begins
local function blocks_of(h, row)
  local blocks, lines, last = {}, 0, nil
  local virtual = h.state == 'unreviewed' and '-' or '+'
  for _, r in ipairs(h.state ~= 'conflicted' and h.rows or {}) do
    if not last or last.mark ~= r[1] then
      last = { mark = r[1], at = row + lines, rows = {} }
      blocks[#blocks + 1] = last
    end
    table.insert(last.rows, r)
    lines = lines + (r[1] ~= virtual and 1 or 0)
  end
  return blocks
end

--- Highlights rows that stand in a buffer, and their words that changed.
local function highlight(buf, ids, block, group, priority)
  ids[#ids + 1] = put(buf, block.at, { end_row = block.at + #block.rows, end_col = 0, hl_group = group, hl_eol = true, priority = priority })
  for i, row in ipairs(block.rows) do
    for _, span in ipairs(words_of(row, group .. 'Text')) do
      ids[#ids + 1] = put(buf, block.at + i - 1, { end_col = span.to, hl_group = span.group, priority = priority + 1 }, span.from)
    end
  end
end

--- Lays out rows that do not stand in a buffer.
---@return emendo.Row[]
---@return integer used columns of the first one that have text
local function laid_out(buf, block, width, coloured)
  local texts = vim.tbl_map(function(row)
    return row[2]
  end, block.rows)
  local colours = coloured and #texts <= most_lines and syntax.spans(syntax.language(vim.bo[buf].filetype), texts) or {}
  local opts, rows, used = { width = width, tab = vim.bo[buf].tabstop, base = 'EmendoAdd' }, {}, 0
  for i, row in ipairs(block.rows) do
    local wrapped, first = wrap.line(row[2], opts, colours[i] or {}, words_of(row, 'EmendoAddText'))
    used = i == 1 and first or used
    vim.list_extend(rows, wrapped)
  end
  return rows, used
end

local grounds = { ['-'] = { 'EmendoDelete', 'EmendoHint' }, ['+'] = { 'EmendoAdd', 'EmendoHint' } }
local signs = { ['-'] = 'EmendoSignDelete', ['+'] = 'EmendoSignAdd', both = 'EmendoSign' }

--- Draws a hunk.
local function draw(buf, h, row, width, coloured)
  local count = vim.api.nvim_buf_line_count(buf)
  local first, says = math.min(row, count - 1), M.hint(h, width - 1)
  local mark, ids, marks, added = { priority = 150 }, { 0 }, nil, {}
  local blocks = blocks_of(h, row)
  for _, block in ipairs(blocks) do
    local changed = block.mark ~= '='
    marks = changed and marks and marks ~= block.mark and 'both' or changed and block.mark or marks
    if block.mark == '+' and h.state == 'pending' then
      added[#added + 1] = { block = block }
      added[#added].rows, added[#added].used = laid_out(buf, block, width, coloured)
    elseif block.mark == '+' then
      highlight(buf, ids, block, 'EmendoAdd', 90)
    elseif block.mark == '-' and h.state == 'pending' then
      highlight(buf, ids, block, 'EmendoDelete', 150)
    end
  end
  local top = added[1]
  if says ~= '' and (not top or blocks[1] ~= top.block and fits_behind(buf, first, says, width)) then
    local look = blocks[1] and grounds[blocks[1].mark] or 'EmendoHint'
    mark.virt_text, mark.virt_text_pos = { { says, h.state == 'conflicted' and 'EmendoConflict' or look } }, 'eol'
  elseif says ~= '' then
    local opts, look = { width = width, base = 'EmendoAdd' }, { 'EmendoAdd', 'EmendoHint' }
    if not wrap.remark(top.rows[1], top.used, says, look, opts) then
      local own = wrap.line('', opts)[1]
      if wrap.remark(own, 0, says, look, opts) then
        table.insert(top.rows, own)
      end
    end
  end
  if config.options.signs and h.state ~= 'conflicted' then
    mark.sign_text, mark.sign_hl_group = '▎', h.state == 'unreviewed' and 'EmendoApplied' or signs[marks] or signs.both
  end
  ids[1] = put(buf, first, mark)
  local virtual = 0
  for _, a in ipairs(added) do
    local above = a.block.at == 0
    ids[#ids + 1] = put(buf, math.max(math.min(a.block.at, count) - 1, 0), { virt_lines = a.rows, virt_lines_above = above })
    virtual = virtual + #a.rows
    if above then
      reveal_top(buf, #a.rows)
    end
  end
  return { ids = ids, hunk = h, width = width, added = virtual }
end

local function erase(buf, id)
  for _, mark in ipairs(drawn[buf][id].ids) do
    vim.api.nvim_buf_del_extmark(buf, ns, mark)
  end
  drawn[buf][id] = nil
end

--- Reports whether the range of a hunk is that of the text that a buffer has now.
local function is_current(h, buf)
  return h.version == ((vim.lsp.util.buf_versions or {})[buf] or vim.api.nvim_buf_get_changedtick(buf))
end

--- Returns the row where a hunk starts in its buffer: the position of its extmark, or the
--- row that the server reports if that is of the text that is there, or nothing is drawn.
---@param buf? integer
---@return integer zero-based
function M.row(h, buf)
  local d = buf and drawn[buf] and drawn[buf][h.id]
  local at = d and not is_current(h, buf) and vim.api.nvim_buf_get_extmark_by_id(buf, ns, d.ids[1], {})
  return at and at[1] or h.range.start.line
end

--- Returns the first and last row that a hunk covers in its buffer, zero-based. A hunk
--- without lines there, such as an insertion, covers the rows before and after its place.
function M.span(h, buf)
  local row = M.row(h, buf)
  local lines = h.range['end'].line - h.range.start.line
  if lines == 0 then
    return math.max(0, row - 1), row
  end
  return row, row + lines - 1
end

--- Redraws the windows of a buffer completely: Neovim 0.12 omits lines when virtual lines
--- are removed while others are added.
local function redraw(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim__redraw({ win = win, valid = false })
  end
end

--- Returns the hunks that are not drawn as they are now, those near the cursor first.
---@param all table<string, emendo.Hunk>
local function stale(buf, all, width)
  local list = vim.tbl_filter(function(h)
    local d = drawn[buf][h.id]
    local at = d and is_current(h, buf) and vim.api.nvim_buf_get_extmark_by_id(buf, ns, d.ids[1], {})
    local same = d and d.hunk == h and d.width == width and (not at or at[1] == h.range.start.line)
    return h.version and not same -- one without a version is of a closed file
  end, all)
  local win = vim.fn.win_findbuf(buf)[1]
  local top = win and vim.api.nvim_win_get_cursor(win)[1] or 1
  table.sort(list, function(a, b)
    return math.abs(a.range.start.line - top) < math.abs(b.range.start.line - top)
  end)
  return list
end

--- Draws the hunks of a buffer that have changed, for a limited time. The rest follows.
function M.buffer(buf)
  local all = changes.of_file[buffers.paths[buf] or ''] or {}
  drawn[buf] = drawn[buf] or {}
  local changed, width = false, columns(buf)
  for id in pairs(drawn[buf]) do
    if not all[id] then
      changed = true
      erase(buf, id)
    end
  end
  local few = vim.tbl_count(all) <= most_hunks
  local list, ends = stale(buf, all, width), vim.uv.hrtime() + stretch -- after looking, so that some are drawn each time
  for _, h in ipairs(list) do
    if vim.uv.hrtime() > ends then
      M.soon(buf)
      break
    end
    changed = true
    local row = M.row(h, buf)
    if drawn[buf][h.id] then
      erase(buf, h.id)
    end
    drawn[buf][h.id] = draw(buf, h, row, width, few)
  end
  if changed then
    redraw(buf)
    vim.schedule(function() -- the sign column may have appeared or disappeared
      if drawn[buf] and next(drawn[buf]) and vim.api.nvim_buf_is_loaded(buf) and columns(buf) ~= width then
        M.soon(buf)
      end
    end)
  end
  local h = awaited and drawn[buf][awaited] and buf == vim.api.nvim_get_current_buf() and all[awaited]
  if h then
    M.reveal(h)
  end
end

-- Buffers to draw after a delay: when many hunks are decided at once, many changes of
-- state arrive together.
local due = {} ---@type table<integer, boolean>
local delay = 10 -- ms

local function draw_due()
  local bufs = due
  due = {}
  for buf in pairs(bufs) do
    if vim.api.nvim_buf_is_loaded(buf) then
      M.buffer(buf)
    end
  end
end

--- Schedules drawing the hunks of a buffer, together with other changes.
function M.soon(buf)
  if not next(due) then
    vim.defer_fn(draw_due, delay)
  end
  due[buf] = true
end

--- Scrolls the current window so that the hunk at the cursor is shown completely, including
--- its added lines, if there is room. One that is not drawn yet is shown so once it is.
function M.reveal(h)
  local buf, win = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  local d = drawn[buf] and drawn[buf][h.id]
  awaited = not d and h.id or nil
  if not d then
    return
  end
  local count = vim.api.nvim_buf_line_count(buf)
  local first, last = M.span(h, buf)
  first, last = math.min(first, count - 1), math.min(last, count - 1)
  local rows = vim.api.nvim_win_text_height(win, { start_row = first, end_row = last }).all + d.added
  local height = vim.api.nvim_win_get_height(win)
  if vim.fn.winline() + rows - 1 > height then
    local top, room = first + 1, height - rows
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

events.after({ 'WinResized', 'BufWinEnter' }, function() -- added lines wrap at the edge of the window
  for buf, marks in pairs(drawn) do
    if next(marks) then
      M.soon(buf)
    end
  end
end)
events.after('BufReadPost', function(event) -- a file that is read again has none of the marks
  vim.api.nvim_buf_clear_namespace(event.buf, ns, 0, -1)
  drawn[event.buf] = nil
  M.soon(event.buf)
end)
events.after('BufUnload', function(event)
  drawn[event.buf] = nil
end)

return M
