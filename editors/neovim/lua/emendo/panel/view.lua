-- Draws a transcript into the panel's buffer: appends new text, replaces a changed block in
-- place, and touches nothing else. Nothing else writes to the buffer, so the rows of blocks
-- are counted, not searched.
local background = require('emendo.panel.background')
local code = require('emendo.panel.code')
local events = require('emendo.events')
local markdown = require('emendo.panel.markdown')
local tool_call = require('emendo.session.tool_call')
local visible = require('emendo.text.visible')

local M = {}

-- The panel is drawn at most this often, in milliseconds.
local every = 25

local ns = vim.api.nvim_create_namespace('emendo.panel')
-- The backgrounds of blocks that are not answers, by voice.
local grounds = { user = 'EmendoUser', question = 'EmendoAsk' }

---@class emendo.View
---@field buf integer
---@field transcript emendo.Transcript?
---@field version integer? of the transcript that is drawn
---@field total integer lines that are drawn
---@field shrunk boolean lines have gone since windows followed the end
local view = { total = 0, shrunk = false }

--- Answers with text that is not highlighted yet.
local plain = {} ---@type table<emendo.Block, boolean>

local timer = assert(vim.uv.new_timer())
local drawn_at = 0

--- Returns the lines of a block to show. A line that contains a line break, such as one with
--- the name of a file, is spelled out, since a buffer line cannot contain a break.
---@param block emendo.Block
---@return string[]
local function lines_of(block)
  local lines = {}
  for _ = 1, #block.head > 0 and block.gap or 0 do
    lines[#lines + 1] = ''
  end
  vim.list_extend(lines, block.head)
  if block.open and block.body then
    vim.list_extend(lines, block.body)
  end
  for i, line in ipairs(lines) do
    if line:find('\n', 1, true) then
      lines[i] = visible.line(line)
    end
  end
  return lines
end

--- Returns the number of blank lines between a block and the one before it.
---@param before emendo.Block?
---@param block emendo.Block
local function gap(before, block)
  if not before or before.kind == 'rule' or before.tight and block.tight then
    return 0
  end
  return 1
end

---@param block emendo.Block
local function highlight(block)
  local buf, top = view.buf, block.row + (#block.head > 0 and block.gap or 0)
  for _, m in ipairs(block.marks) do
    vim.api.nvim_buf_set_extmark(buf, ns, top + m.line, m.from, {
      end_col = m.to >= 0 and m.to or #block.head[m.line + 1],
      hl_group = m.group,
      priority = 120,
    })
  end
  if block.kind == 'rule' and block.head[1] then
    vim.api.nvim_buf_set_extmark(buf, ns, top, 0, { end_col = 3, conceal = '' })
    if block.detail then
      vim.api.nvim_buf_set_extmark(buf, ns, top, 0, { virt_text = { { '· ' .. block.detail, 'EmendoHunk' } }, virt_text_pos = 'eol' })
    end
  end
  local ground = grounds[block.question and 'question' or block.voice]
  if ground then
    for i = 1, #block.head do
      background.set(buf, ns, top + i - 1, block.head[i], ground)
    end
  end
  if block.open and block.body_group then
    local first = top + #block.head
    for i, line in ipairs(block.body) do
      vim.api.nvim_buf_set_extmark(buf, ns, first + i - 1, 0, { end_col = #line, hl_group = block.body_group, priority = 120 })
    end
  end
end

--- Replaces lines of the buffer. If nothing is drawn, replaces the one line that an empty
--- buffer has.
local function set_lines(from, to, lines)
  if view.total == 0 then
    vim.api.nvim_buf_set_lines(view.buf, 0, -1, false, lines)
  else
    vim.api.nvim_buf_set_lines(view.buf, from, to, false, lines)
  end
  view.total = view.total + #lines - (to - from)
  view.shrunk = view.shrunk or #lines < to - from
end

local function shift(index, by)
  local blocks = view.transcript.blocks
  for i = index + 1, by ~= 0 and #blocks or 0 do
    if blocks[i].row then
      blocks[i].row = blocks[i].row + by
    end
  end
end

--- Appends streamed text to a block that is already drawn.
local function draw_text(index, block)
  local into = block.kind == 'thought' and block.body or block.head
  local col, row = #into[#into], block.row + block.rows - 1
  local lines = view.transcript.take(block)
  vim.api.nvim_buf_set_text(view.buf, row, col, row, col, lines)
  block.rows = block.rows + #lines - 1
  view.total = view.total + #lines - 1
  shift(index, #lines - 1)
  if block.kind == 'text' then
    plain[block] = true
  elseif block.body_group then
    vim.api.nvim_buf_clear_namespace(view.buf, ns, block.row, block.row + block.rows)
    highlight(block)
  end
end

--- Returns the row where a block that is not drawn yet will begin.
---@param index integer
local function first_row(index)
  for i = index - 1, 1, -1 do
    local before = view.transcript.blocks[i]
    if before.row then
      return before.row + before.rows
    end
  end
  return 0
end

local function draw_all(index, block)
  if block.added and #block.added > 0 then
    view.transcript.take(block)
  end
  if not block.row then
    block.gap = gap(view.transcript.blocks[index - 1], block)
    block.row, block.rows = first_row(index), 0
  end
  local lines = lines_of(block)
  vim.api.nvim_buf_clear_namespace(view.buf, ns, block.row, block.row + block.rows)
  code.forget(view.buf, block, block.row, block.row + block.rows)
  set_lines(block.row, block.row + block.rows, lines)
  shift(index, #lines - block.rows)
  block.rows = #lines
  highlight(block)
  if block.kind == 'text' then
    block.parsed, plain[block] = 1, true
  end
  local before = view.transcript.blocks[index - 1]
  if before and before.kind == 'text' and before.parsed then
    plain[before] = true
  end
end

--- Highlights plain text for too short a time to be noticed. Leaves the rest to the next
--- drawing.
local function highlight_text()
  local blocks = view.transcript.blocks
  for block in pairs(plain) do
    local more = markdown.draw(view.buf, block, M.row(block), block ~= blocks[#blocks])
    if code.draw(view.buf, block, M.row(block)) or more then
      return M.soon()
    end
    plain[block] = nil
  end
end

local parked = {} ---@type table<integer, integer> the line at which follow has left the cursor of a window

--- Returns the first line of the question at the end of the conversation, if the question is
--- too long for a window.
---@param win integer
---@return integer? one-based
local function question_in(win)
  local block = view.transcript.blocks[#view.transcript.blocks]
  local row = block and block.question and M.row(block)
  if row then
    local room = vim.api.nvim_win_get_height(win) - vim.fn.getwininfo(win)[1].winbar
    return vim.api.nvim_win_text_height(win, { start_row = row }).all > room and row + 1 or nil
  end
end

--- Returns the panel's windows that follow the conversation: the cursor is at the end, or
--- where follow() left it.
local function at_end()
  local last = vim.api.nvim_buf_line_count(view.buf)
  return vim.tbl_filter(function(win)
    local visual = win == vim.api.nvim_get_current_win() and vim.api.nvim_get_mode().mode:match('^[vV\22]')
    local line = vim.api.nvim_win_get_cursor(win)[1]
    return not visual and (line >= last or line == parked[win])
  end, vim.fn.win_findbuf(view.buf))
end

--- Moves the cursor to the end, or to the beginning of a question that is too long for the
--- window. If lines were removed, also brings lines above the window back into view, which
--- Neovim would leave there.
local function follow(wins)
  local last = vim.api.nvim_buf_line_count(view.buf)
  local text = vim.api.nvim_buf_get_lines(view.buf, last - 1, last, false)[1]
  for _, win in ipairs(wins) do
    parked[win] = question_in(win)
    vim.api.nvim_win_set_cursor(win, parked[win] and { parked[win], 0 } or { last, #text })
    if parked[win] then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview({ topline = parked[win] })
      end)
    elseif view.shrunk then
      vim.api.nvim_win_call(win, function()
        vim.cmd('normal! zb')
      end)
    end
  end
  view.shrunk = false
end

--- Draws what has changed.
function M.draw()
  local t = view.transcript
  if not t or not vim.api.nvim_buf_is_loaded(view.buf) then
    return
  end
  drawn_at = vim.uv.now()
  local wins = at_end()
  local changes = t.changes
  t.changes = {}
  vim.bo[view.buf].modifiable = true
  if t.version ~= view.version then -- another transcript, or it was reset
    view.version, view.total, changes, plain = t.version, 0, t.blocks, {}
    vim.api.nvim_buf_clear_namespace(view.buf, ns, 0, -1)
    vim.api.nvim_buf_set_lines(view.buf, 0, -1, false, {})
    for _, block in ipairs(t.blocks) do
      block.row, block.changed = nil, 'all'
    end
  end
  local index = {}
  for i = #t.blocks, 1, -1 do
    index[t.blocks[i]] = i
    if #changes == 1 and t.blocks[i] == changes[1] then
      break
    end
  end
  for _, block in ipairs(changes) do
    local how, at = block.changed, index[block]
    block.changed = nil
    if at and how == 'text' and block.row then
      draw_text(at, block)
    elseif at then -- it was not removed meanwhile
      draw_all(at, block)
    end
  end
  vim.bo[view.buf].modifiable = false
  vim.bo[view.buf].modified = false
  highlight_text()
  follow(wins)
  events.emit('drawn')
end

--- Redraws what depends on the width of the window after it has changed: calls that are cut
--- to fit, and everything if the window has become too narrow for the background of
--- indentation, which would cover text, or wide enough again.
function M.fit()
  local t, wins = view.transcript, view.buf and vim.fn.win_findbuf(view.buf) or {}
  if not t or #wins == 0 then
    return
  end
  local least = vim.o.columns
  for _, win in ipairs(wins) do
    least = math.min(least, vim.api.nvim_win_get_width(win) - vim.fn.getwininfo(win)[1].textoff)
  end
  tool_call.columns = least
  if background.fit(least) then
    for _, block in ipairs(t.blocks) do
      t:change(block, 'all')
    end
  end
  for _, block in ipairs(t.blocks) do
    if block.call and not block.open then
      local before = block.head[1]
      tool_call.render(block)
      if block.head[1] ~= before then
        t:change(block, 'all')
      end
    end
  end
end

--- Schedules a drawing: at once after a pause, else together with further changes.
function M.soon()
  if not timer:is_active() then
    timer:start(math.max(0, every - (vim.uv.now() - drawn_at)), 0, vim.schedule_wrap(M.draw))
  end
end

--- Shows a transcript in a buffer, instead of the previous one.
---@param buf integer
---@param transcript emendo.Transcript?
function M.show(buf, transcript)
  if view.transcript and view.transcript ~= transcript then
    view.transcript.on_change = nil
  end
  if view.buf == buf and view.transcript == transcript then
    return
  end
  view.buf, view.transcript, view.version = buf, transcript, nil
  if transcript then
    transcript.on_change = M.soon
    M.draw()
    follow(vim.fn.win_findbuf(buf))
  end
end

local near = 1 -- the index of the block that was last found

--- Returns the block that is drawn at a row. Fast for a row near that of the last call, as
--- rows are mostly looked up in order.
---@param row integer zero-based
---@return emendo.Block?
---@return integer? line of the block, zero-based; the blank lines before it are negative
function M.at(row)
  local blocks = view.transcript and view.transcript.blocks or {}
  local i = math.max(1, math.min(near, #blocks))
  while i > 1 and not (blocks[i].row and blocks[i].row <= row) do
    i = i - 1
  end
  while i < #blocks do
    local b = blocks[i]
    if b.row and row < b.row + b.rows then
      break
    end
    i = i + 1
  end
  local b = blocks[i]
  if b and b.row and b.row <= row and row < b.row + b.rows then
    near = i
    return b, row - b.row - (#b.head > 0 and b.gap or 0)
  end
end

--- Returns the nearest block before one that has lines in the buffer. Searches only from the
--- block that `at` last found.
---@param block emendo.Block
---@return emendo.Block?
function M.before(block)
  local blocks = view.transcript.blocks
  for i = near, 1, -1 do
    if blocks[i].rows and blocks[i].rows > 0 and blocks[i].row < block.row then
      return blocks[i]
    end
  end
end

--- Returns the row of a block's first line, or nil if it is not drawn.
---@param block emendo.Block
---@return integer?
function M.row(block)
  return block.row and block.row + (#block.head > 0 and block.gap or 0)
end

vim.api.nvim_create_autocmd('WinResized', {
  group = vim.api.nvim_create_augroup('emendo.view', {}),
  callback = function()
    for _, win in ipairs(vim.v.event.windows or {}) do
      if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == view.buf then
        return M.fit()
      end
    end
  end,
})

return M
