-- Draws a view into the panel's buffer: appends new text, replaces a changed block in place,
-- and touches nothing else. An extmark at the first line of each block follows its row.
local background = require('emendo.panel.background')
local code = require('emendo.panel.code')
local events = require('emendo.events')
local following = require('emendo.panel.follow')
local item_block = require('emendo.panel.item')
local markdown = require('emendo.panel.markdown')
local wrap = require('emendo.text.wrap')

local M = {}

-- The panel is drawn at most this often, in milliseconds.
local every = 25

local ns = vim.api.nvim_create_namespace('emendo.panel')
local begins = vim.api.nvim_create_namespace('emendo.blocks')
-- The backgrounds of blocks that are not answers, by voice.
local grounds = { user = 'EmendoUser', question = 'EmendoAsk' }

local buf ---@type integer the panel's
local shown ---@type emendo.View?
local questions = {} ---@type table[] below the items; the welcome in their place
local blocks = {} ---@type table<string, emendo.Block> by id
local by_mark = {} ---@type table<integer, emendo.Block>
local total, shrunk = 0, false -- lines that are drawn, and whether some have gone since windows followed the end
local fresh = true -- all is to be drawn again
local changes = {} ---@type table<string, 'text'|'all'|'drop'> by id, of what is not drawn
local order = {} ---@type string[] the ids of changes

--- Answers with text that is not highlighted yet.
local plain = {} ---@type table<emendo.Block, boolean>

local timer = assert(vim.uv.new_timer())
local drawn_at = 0

--- Schedules a drawing: at once after a pause, else together with further changes.
function M.soon()
  if not timer:is_active() then
    timer:start(math.max(0, every - (vim.uv.now() - drawn_at)), 0, vim.schedule_wrap(M.draw))
  end
end

--- Notes that something is to be drawn again.
---@param how 'text'|'all'|'drop'
local function change(id, how)
  if not changes[id] then
    order[#order + 1] = id
    M.soon()
  elseif how == 'text' then
    return
  end
  changes[id] = how
end

--- Returns the row where a block begins, its lead included.
local function top_of(block)
  return vim.api.nvim_buf_get_extmark_by_id(buf, begins, block.mark, {})[1]
end

--- Returns the row of a block's first line, or nil if it is not drawn.
---@param block emendo.Block?
function M.row(block)
  return block and block.mark and top_of(block) + block.lead
end

--- Returns the block that is drawn at a row.
---@param row integer zero-based
---@return emendo.Block?
---@return integer? line of the block, zero-based; the lines of its lead are negative
function M.at(row)
  local found = buf and vim.api.nvim_buf_is_valid(buf) and row >= 0 and vim.api.nvim_buf_get_extmarks(buf, begins, { row, 0 }, 0, { limit = 1 })[1]
  local block = found and by_mark[found[1]]
  if block and row < found[2] + block.rows then
    return block, row - found[2] - block.lead
  end
end

--- Returns the block before one.
function M.before(block)
  return (M.at(top_of(block) - 1))
end

--- Returns the block of an item or a question.
function M.block(id)
  return blocks[id]
end

--- Reports whether a block stands below the items of the conversation.
function M.is_below(block)
  return block.question ~= nil or block.item.kind == 'welcome'
end

--- Returns the block that is drawn before one that is not drawn yet.
local function drawn_before(block)
  if M.is_below(block) then
    return (M.at(total - 1))
  end
  local item = shown:drawn_before(block.item)
  while item do
    local before = blocks[item.id]
    if before and before.mark then
      return before
    end
    item = shown:drawn_before(item)
  end
end

--- Returns who speaks from a block on, if nobody or another did before it.
---@param before emendo.Block?
local function heading(block, before)
  local kind = block.item and block.item.kind
  if kind == 'user' then
    return 'You'
  elseif not kind or kind == 'notice' or kind == 'turn' or kind == 'welcome' then
    return nil
  end
  while before and (not before.item or before.item.kind == 'notice' or before.item.kind == 'turn') do
    before = M.before(before)
  end
  return (not before or before.item.kind == 'user' or before.item.parent == nil) and 'emendo' or nil
end

--- Sets what stands above a block. Reports whether it was something else.
---@param before emendo.Block?
local function set_lead(block, before)
  local was, gap = block.heading, block.gap
  block.heading = heading(block, before)
  block.gap = not block.heading and before and before.tight and block.tight and 0 or before and 1 or 0
  block.lead = block.gap + (block.heading and 1 or 0)
  return was ~= block.heading or gap ~= block.gap
end

local function highlight(block)
  local top = top_of(block) + block.lead
  if block.heading then
    local row, user = top - 1, block.heading == 'You'
    vim.api.nvim_buf_set_extmark(buf, ns, row, 0, { end_col = 3, conceal = '' })
    vim.api.nvim_buf_set_extmark(buf, ns, row, 0, { end_col = #block.heading + 3, hl_group = user and 'EmendoUserHeading' or 'EmendoHeading', priority = 120 })
    local turn = not user and shown.items[block.item.parent or '']
    local facts = turn and turn.kind == 'turn' and item_block.facts(turn) or ''
    if facts ~= '' then
      vim.api.nvim_buf_set_extmark(buf, ns, row, 0, { virt_text = { { '· ' .. facts, 'EmendoHunk' } }, virt_text_pos = 'eol' })
    end
    if user then
      background.set(buf, ns, row, '## You', 'EmendoUser')
    end
  end
  local function mark(line, from, to, group)
    vim.api.nvim_buf_set_extmark(buf, ns, top + line, from, { end_col = to, hl_group = group, priority = 120 })
  end
  local shows = #block.head + (block.open and #(block.body or {}) or 0)
  for _, m in ipairs(block.marks) do
    if m.line < shows then
      mark(m.line, m.from, m.to, m.group)
    end
  end
  local ground = grounds[block.voice]
  for i = 1, ground and #block.head or 0 do
    background.set(buf, ns, top + i - 1, block.head[i], ground)
  end
  if block.open and block.body_group and block.grows == 'body' then
    for i, line in ipairs(block.body) do
      mark(#block.head + i - 1, 0, #line, block.body_group)
    end
  end
end

--- Replaces lines of the buffer. If nothing is drawn, replaces the one line that an empty
--- buffer has.
local function set_lines(from, to, lines)
  vim.api.nvim_buf_set_lines(buf, from, total == 0 and -1 or to, false, lines)
  total = total + #lines - (to - from)
  shrunk = shrunk or #lines < to - from
end

--- Appends streamed text to a block that is already drawn.
local function draw_text(block)
  local into = block[block.grows]
  local top, col = top_of(block), #into[#into]
  local row = top + block.rows - 1
  local lines = item_block.take(block)
  vim.api.nvim_buf_set_text(buf, row, col, row, col, lines)
  block.rows = block.rows + #lines - 1
  total = total + #lines - 1
  if block.grows == 'head' then
    plain[block] = true
  else
    vim.api.nvim_buf_clear_namespace(buf, ns, top, top + block.rows)
    highlight(block)
  end
end

--- Redraws the block at a row if other lines belong above it now.
local function check_lead(row)
  local after = row < total and M.at(row)
  if after and set_lead(after, M.before(after)) then
    M.draw_block(after)
  end
end

--- Removes the lines of a block.
local function remove(block)
  if block.mark then
    local top = top_of(block)
    vim.api.nvim_buf_clear_namespace(buf, ns, top, top + block.rows)
    code.forget(buf, block, top, top + block.rows)
    vim.api.nvim_buf_del_extmark(buf, begins, block.mark)
    by_mark[block.mark], block.mark = nil, nil
    set_lines(top, top + block.rows, {})
    plain[block] = nil
    check_lead(top)
  end
end

--- Draws all lines of a block.
function M.draw_block(block)
  local top, was, new = nil, 0, not block.mark
  if new then
    local before = drawn_before(block)
    top = before and top_of(before) + before.rows or 0
    set_lead(block, before)
  else
    top, was = top_of(block), block.rows
  end
  local lines = item_block.lines(block)
  vim.api.nvim_buf_clear_namespace(buf, ns, top, top + was)
  code.forget(buf, block, top, top + was)
  set_lines(top, top + was, lines)
  block.rows = #lines
  block.mark = vim.api.nvim_buf_set_extmark(buf, begins, top, 0, { id = block.mark })
  by_mark[block.mark] = block
  highlight(block)
  if block.grows == 'head' then
    block.parsed, plain[block] = 1, true
  end
  local before = M.before(block)
  if before and before.grows == 'head' and before.parsed then
    plain[before] = true
  end
  if new then
    check_lead(top + block.rows)
  end
end

--- Draws what has changed of one item or question.
---@param how 'text'|'all'|'drop'
local function draw_change(id, how)
  local block = blocks[id]
  local item, question = shown.items[id], nil
  for _, q in ipairs(item and {} or questions) do
    if q.id == id then
      item, question = q.kind and q, not q.kind and q or nil
    end
  end
  if not item and not question then
    if block then
      remove(block)
      blocks[id] = nil
    end
    return
  elseif how == 'text' and block and block.mark and (block.grows == 'head' or block.open) then
    return #block.added > 0 and draw_text(block)
  end
  block = block or { id = id }
  blocks[id], block.item, block.question = block, item or nil, question
  item_block.render(block, shown)
  if #block.head == 0 or block.hidden then
    remove(block)
  else
    M.draw_block(block)
  end
end

--- Highlights plain text for too short a time to be noticed. Leaves the rest to the next
--- drawing.
local function highlight_text()
  local last = M.at(total - 1)
  for block in pairs(plain) do
    local row = M.row(block)
    local more = row and markdown.draw(buf, block, row, block ~= last)
    if row and code.draw(buf, block, row) or more then
      return M.soon()
    end
    plain[block] = nil
  end
end

--- Has windows follow the end of the conversation.
local function follow(wins)
  local last = M.at(total - 1)
  local welcome = last and not last.question and M.is_below(last)
  local from = welcome and (M.before(last) or last) or last and last.question and last -- a notice stays in sight
  following.follow(buf, wins, from and M.row(from), welcome, shrunk)
  shrunk = false
end

--- Draws what has changed.
function M.draw()
  if not shown or not vim.api.nvim_buf_is_loaded(buf) then
    return
  end
  drawn_at = vim.uv.now()
  if questions[1] and questions[1].kind and not shown:is_new() then
    M.ask({}) -- the welcome goes with the first question
  end
  local wins = following.at_end(buf)
  vim.bo[buf].modifiable = true
  if fresh then
    vim.api.nvim_buf_clear_namespace(buf, -1, 0, -1)
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, {})
    fresh, shrunk, total, plain, by_mark, changes, order = false, true, 0, {}, {}, {}, {}
    local kept = blocks
    blocks = {}
    for _, item in ipairs(shown:all()) do
      blocks[item.id] = { id = item.id, open = not item_block.lacks_content(item) and (kept[item.id] or {}).open }
      draw_change(item.id, 'all')
    end
    for _, q in ipairs(questions) do
      draw_change(q.id, 'all')
    end
  end
  local now, list = changes, order
  changes, order = {}, {}
  for _, id in ipairs(list) do
    draw_change(id, now[id])
  end
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  highlight_text()
  follow(wins)
  events.emit('drawn')
end

--- Redraws what depends on the width of the window after it has changed: calls that are cut
--- to fit, and everything if the window has become too narrow for the background of
--- indentation, which would cover text, or wide enough again.
function M.fit()
  if not shown or #vim.fn.win_findbuf(buf) == 0 then
    return
  end
  local least = wrap.room(buf)
  local wider = item_block.columns ~= least
  item_block.columns = least
  local all = background.fit(least)
  for id, block in pairs(blocks) do
    if all or wider and block.item and block.item.kind == 'call' and not block.open then
      change(id, 'all')
    end
  end
end

-- What the view tells of its changes.
local follower = {
  put = function(item, moved)
    if moved and blocks[item.id] and blocks[item.id].mark then
      fresh = true -- it has another place
    end
    change(item.id, 'all')
    if item.kind == 'turn' then -- its facts stand beside a heading
      for _, id in ipairs(shown.below[item.id] or {}) do
        if blocks[id] and blocks[id].heading == 'emendo' then
          return change(id, 'all')
        end
      end
    end
  end,
  append = function(item, part, text)
    local block = blocks[item.id]
    if block and block.grows and part == 1 and not block.hidden and changes[item.id] ~= 'all' then
      item_block.append(block, text)
      change(item.id, 'text')
    else
      change(item.id, 'all')
    end
  end,
  drop = function(item)
    change(item.id, 'drop')
  end,
  reset = function()
    fresh = true
    M.soon()
  end,
}

--- Shows a view in a buffer, instead of the previous one.
---@param into integer
---@param view emendo.View?
function M.show(into, view)
  if shown and shown ~= view then
    shown.follow = nil
  end
  if buf == into and shown == view then
    return
  end
  buf, shown, fresh = into, view, true
  if view then
    view.follow = follower
    M.draw()
    follow(vim.fn.win_findbuf(buf))
  end
end

--- Shows these questions below the items, or the welcome.
---@param open table[]
function M.ask(open)
  for _, q in ipairs(open) do
    local block = blocks[q.id]
    if not block or (block.question or block.item) ~= q then
      change(q.id, 'all')
    end
  end
  for _, q in ipairs(questions) do
    if not vim.tbl_contains(open, q) then
      change(q.id, 'all')
    end
  end
  questions = open
end

--- Opens or closes the body of a block.
---@param open boolean
---@param done? fun() when it is drawn with its content
function M.set_open(block, open, done)
  if block.body and (block.open or false) ~= open then
    block.open = open
    change(block.id, 'all')
  end
  local function drawn()
    M.draw()
    return done and done()
  end
  if open and block.body and item_block.lacks_content(block.item) then
    events.emit('content', shown, block.item.id, done and drawn)
  elseif done then
    drawn()
  end
end

--- Returns the blocks that are drawn, in order.
function M.all()
  return vim.tbl_map(function(mark)
    return by_mark[mark[1]]
  end, buf and vim.api.nvim_buf_get_extmarks(buf, begins, 0, -1, {}) or {})
end

events.after('WinResized', function()
  for _, win in ipairs(vim.v.event.windows or {}) do
    if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf then
      return M.fit()
    end
  end
end)

return M
