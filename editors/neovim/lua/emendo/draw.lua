-- Draws hunks into the buffers they are about: old lines are highlighted where
-- they stand, new ones show below them as virtual lines. The text is not touched
-- before it is accepted. Marks move with the text as it is typed.
local attach = require('emendo.attach')
local changes = require('emendo.changes')
local config = require('emendo.config')
local visible = require('emendo.visible')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.hunks')

---@class emendo.Drawn
---@field ids integer[] extmarks; the first stands where the hunk begins
---@field key string what was drawn
---@type table<integer, table<string, emendo.Drawn>> by buffer and hunk
local drawn = {}

require('emendo.highlights')

--- The lines of a text that ends in a line end or not.
---@param text string
---@return string[]
function M.lines(text)
  if text == '' then
    return {}
  end
  text = text:gsub('\r\n', '\n'):gsub('\n$', '')
  return vim.split(text, '\n', { plain = true })
end

--- A line as it looks: with what is not seen spelled out, tabs as wide as the buffer has them, and filled up
--- so that its background reaches the edge of the window.
local function padded(line, tab, columns)
  local out, at = {}, 0
  for part, stop in line:gmatch('([^\t]*)(\t?)') do
    out[#out + 1] = visible.text(part)
    at = at + vim.fn.strdisplaywidth(out[#out])
    if stop ~= '' then
      local n = tab - at % tab
      out[#out + 1] = (' '):rep(n)
      at = at + n
    end
  end
  out[#out + 1] = (' '):rep(math.max(1, columns - at))
  return table.concat(out)
end

--- A virtual line with a remark after its text, in the place of what fills it up.
local function beside(line, remark)
  local text = line:gsub('%s+$', '')
  local left = vim.fn.strdisplaywidth(line) - vim.fn.strdisplaywidth(text .. ' ' .. remark)
  return { { text .. ' ', 'EmendoAdd' }, { remark, { 'EmendoAdd', 'EmendoHunk' } }, { (' '):rep(math.max(0, left)), 'EmendoAdd' } }
end

---@param buf integer
---@param text string
local function virtual(buf, text)
  local tab, columns = vim.bo[buf].tabstop, vim.o.columns
  return vim.tbl_map(function(line)
    return { { padded(line, tab, columns), 'EmendoAdd' } }
  end, M.lines(text))
end

local function hint(h)
  if not config.options.hints then
    return ''
  end
  local keys = {}
  for _, name in ipairs({ 'accept', 'reject' }) do
    if config.key(name) then
      keys[#keys + 1] = ('%s %s'):format(config.key(name), name)
    end
  end
  if h.hunk.newText == '' then
    table.insert(keys, 1, 'delete')
  end
  return table.concat(keys, ' · ')
end

local function key_of(h)
  return table.concat({ h.state, h.hunk.oldText, h.hunk.newText, h.hunk.reason or '' }, '\0')
end

--- Whether the old text of a hunk stands at a row.
local function stands(buf, row, h)
  local old = M.lines(h.hunk.oldText)
  local now = vim.api.nvim_buf_get_lines(buf, row, row + #old, false)
  for i, line in ipairs(now) do
    now[i] = line:gsub('\r$', '')
  end
  return vim.deep_equal(old, now)
end

--- Lets virtual lines above the first line of a buffer be seen, where that line
--- is at the top of a window.
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

---@return integer[]
local function pending(buf, h, row)
  local count = vim.api.nvim_buf_line_count(buf)
  local old = #M.lines(h.hunk.oldText)
  local new = virtual(buf, h.hunk.newText)
  local first = math.min(row, count - 1)
  local mark = { priority = 150 }
  if config.options.signs then
    mark.sign_text, mark.sign_hl_group = '▎', 'EmendoSign'
  end
  local ids = {}
  if old > 0 then
    local says = hint(h)
    if says ~= '' then
      mark.virt_text, mark.virt_text_pos = { { says, 'EmendoHunk' } }, 'eol'
    end
  elseif hint(h) ~= '' and new[1] then
    new[1] = beside(new[1][1][1], hint(h))
  end
  ids[1] = put(buf, first, mark)
  if old > 0 then
    ids[2] = put(buf, first, { end_row = row + old, end_col = 0, hl_group = 'EmendoDelete', hl_eol = true, priority = 150 })
  end
  if #new > 0 then
    local last = math.min(row + old, count) - 1
    local above = last < 0
    ids[#ids + 1] = put(buf, math.max(last, 0), { virt_lines = new, virt_lines_above = above })
    if above then
      reveal_top(buf, #new)
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

--- The row where a hunk begins in its buffer: where its mark has moved to, or
--- where the server says when nothing is drawn.
---@param h emendo.Hunk
---@param buf integer
---@return integer zero-based
function M.row(h, buf)
  local d = drawn[buf] and drawn[buf][h.id]
  local at = d and vim.api.nvim_buf_get_extmark_by_id(buf, ns, d.ids[1], {})
  return at and at[1] or h.row
end

--- Has the windows of a buffer drawn in full: Neovim 0.12 leaves lines out when
--- virtual lines go while others come.
---@param buf integer
local function redraw(buf)
  for _, win in ipairs(vim.api.nvim__redraw and vim.fn.win_findbuf(buf) or {}) do
    vim.api.nvim__redraw({ win = win, valid = false })
  end
end

--- Draws the hunks of a buffer, those alone that have changed.
---@param buf integer
function M.buffer(buf)
  local path = attach.paths[buf]
  local list = path and changes.hunks({ 'pending', 'conflicted' }, path) or {}
  drawn[buf] = drawn[buf] or {}
  local wanted, changed = {}, false
  for _, h in ipairs(list) do
    wanted[h.id] = true
    local d = drawn[buf][h.id]
    local moved = d and M.row(h, buf) ~= h.row and h.state == 'pending' and stands(buf, h.row, h)
    if not d or d.key ~= key_of(h) or moved then
      changed = true
      if d then
        erase(buf, h.id)
      end
      local ids = h.state == 'pending' and pending(buf, h, h.row) or conflicted(buf, h, h.row)
      drawn[buf][h.id] = { ids = ids, key = key_of(h) }
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
  end
end

-- Buffers that are to be drawn, and when: many changes of state come together
-- when many hunks are decided at once.
local due = {} ---@type table<integer, boolean>
local timer = assert(vim.uv.new_timer())
local delay = 10 -- ms

--- Draws the hunks of a buffer in a moment, together with what else comes.
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

--- Forgets a buffer that is unloaded.
---@param buf integer
function M.forget(buf)
  drawn[buf] = nil
end

--- Erases everything.
function M.clear()
  for buf in pairs(drawn) do
    if vim.api.nvim_buf_is_valid(buf) then
      vim.api.nvim_buf_clear_namespace(buf, ns, 0, -1)
    end
  end
  drawn = {}
end

return M
