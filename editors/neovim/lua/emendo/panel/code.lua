-- Draws code blocks of an answer: a background over the whole width, the language
-- above, and syntax colours. An answer grows at its end, so only new lines are
-- processed. Colouring that takes too long continues with the next drawing.
local background = require('emendo.panel.background')
local markdown = require('emendo.panel.markdown')
local syntax = require('emendo.text.syntax')
local visible = require('emendo.text.visible')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.code')

-- The time limit for colouring code in one call, in nanoseconds.
local stretch = 4e6
-- The number of lines that are coloured together.
local together = 20

---@class emendo.Fence a block of code, as far as it is known
---@field mark string what closes it begins with this
---@field lang emendo.Language?
---@field first integer the line after the fence, one-based, of the answer
---@field coloured integer the last line that has its colours
---@field last integer the last line that is settled

---@class emendo.Fences what is known of the code in an answer
---@field at integer the first line that is not settled, one-based
---@field fence emendo.Fence? the block that is open there
---@field colour emendo.Fence[] blocks with lines that are to be coloured

--- Returns the fence on a line, the text behind it, and its indent; nil without a fence.
local function fence_of(line)
  local indent, mark, info = line:match('^(%s*)(```+)%s*([^`]*)$')
  if not mark then
    indent, mark, info = line:match('^(%s*)(~~~+)%s*(.*)$')
  end
  return mark, vim.trim(info or ''), indent
end

---@class emendo.Code a code block of an answer
---@field first integer the line of the fence above it, one-based
---@field last integer that of the fence below it
---@field lines string[]
---@field info string what stands behind the fence
---@field before string the text above it

--- Returns the code blocks in the lines of an answer.
function M.blocks(lines)
  local list, open, fence, indent, before = {}, nil, '', '', ''
  for i, line in ipairs(lines) do
    local mark, info, lead = fence_of(line)
    if open and mark and info == '' and vim.startswith(mark, fence) then
      open.last = i
      list[#list + 1], open = open, nil
    elseif open then
      table.insert(open.lines, vim.startswith(line, indent) and line:sub(#indent + 1) or vim.trim(line) == '' and '' or line)
    elseif mark then
      open = { first = i, lines = {}, info = info, before = before }
      fence, indent = mark, lead
    elseif vim.trim(line) ~= '' then
      before = line
    end
  end
  return list
end

--- Draws a line of a block, or one of its fences.
local function draw_line(buf, row, line, name)
  background.set(buf, ns, row, name and '' or line, 'EmendoCode')
  for from, character in line:gmatch('()([\194-\244][\128-\191]+)') do
    local spelled = not name and visible.text(character)
    if spelled and spelled ~= character then -- the text stays as it is, to be yanked and applied
      vim.api.nvim_buf_set_extmark(buf, ns, row, from - 1, { end_col = from - 1 + #character, conceal = '', virt_text = { { spelled, 'SpecialKey' } }, virt_text_pos = 'inline' })
    end
  end
  if name and markdown.available() then -- otherwise the regex syntax shows fences unchanged
    local label = name ~= '' and { { name, 'EmendoCodeLabel' } } or nil
    vim.api.nvim_buf_set_extmark(buf, ns, row, 0, { end_col = #line, conceal = '', priority = 130, virt_text = label, virt_text_pos = label and 'inline' })
  end
end

--- Colours lines of blocks whose language has a Vim syntax but no treesitter parser. Code
--- with a parser is coloured together with the text around it.
---@return boolean more
local function colour(buf, block, row, state)
  local ends = vim.uv.hrtime() + stretch
  while #state.colour > 0 do
    local fence = state.colour[1]
    local last = fence.last
    local code = vim.list_slice(block.head, fence.first, last)
    while fence.coloured < last do
      local from, to = fence.coloured + 1, math.min(fence.coloured + together, last)
      local offset = fence.first - 1
      for i, spans in ipairs(syntax.scan(fence.lang, fence, code, from - offset, to - offset)) do
        for _, span in ipairs(spans) do
          vim.api.nvim_buf_set_extmark(buf, ns, row + from + i - 2, span.from, { end_col = span.to, hl_group = span.group, priority = 110, strict = false })
        end
      end
      fence.coloured = to
      if vim.uv.hrtime() > ends then
        return true
      end
    end
    table.remove(state.colour, 1)
  end
  return false
end

--- Queues the lines of a block up to `last` for colouring.
local function to_colour(state, fence, last)
  if fence.lang and fence.lang.syntax and last > fence.coloured then
    fence.last = last
    if not vim.tbl_contains(state.colour, fence) then
      table.insert(state.colour, fence)
    end
  end
end

--- Draws the code of an answer, starting where the last call stopped. The last line may
--- still grow, so it is drawn again each time.
---@param row integer the row of its first line, zero-based
---@return boolean more is left for another call
function M.draw(buf, block, row)
  local lines = block.head
  local state = block.fences or { at = 1, colour = {} }
  block.fences = state
  vim.api.nvim_buf_clear_namespace(buf, ns, row + state.at - 1, row + #lines)
  local fence = state.fence
  for i = state.at, #lines do
    local line = lines[i]
    local mark, info = fence_of(line)
    if fence and mark and vim.startswith(mark, fence.mark) and info == '' then
      draw_line(buf, row + i - 1, line, '')
      to_colour(state, fence, i - 1)
      fence = nil
    elseif fence then
      draw_line(buf, row + i - 1, line)
    elseif mark then
      local name = info:match('^{?%.?([^%s{},`]*)')
      draw_line(buf, row + i - 1, line, name)
      fence = { mark = mark, lang = syntax.language(name), first = i + 1, coloured = i }
    end
    if i < #lines then
      state.at, state.fence = i + 1, fence
    end
  end
  if state.fence then
    to_colour(state, state.fence, state.at - 1)
  end
  return colour(buf, block, row, state)
end

--- Clears the state of a block that is drawn again from its first line.
---@param from integer
---@param to integer rows of the buffer
function M.forget(buf, block, from, to)
  block.fences = nil
  vim.api.nvim_buf_clear_namespace(buf, ns, from, to)
end

return M
