-- Navigation in the panel: jumps between questions and between code blocks, an outline, and
-- actions for a code block.
local client = require('emendo.server.client')
local keys = require('emendo.keys')
local messages = require('emendo.messages')
local plural = require('emendo.text.plural')
local session = require('emendo.session')
local view = require('emendo.panel.view')
local visible = require('emendo.text.visible')
local words = require('emendo.words')

local M = {}

---@class emendo.Code a code block of an answer
---@field first integer row of the fence above it, zero-based
---@field last integer row of the fence below it
---@field lines string[]
---@field info string what stands behind the fence
---@field before string the text above it

--- Returns the rows where questions begin.
---@return integer[]
local function turns()
  local rows = {}
  for _, block in ipairs(view.all()) do
    if block.heading == 'You' then
      rows[#rows + 1] = view.row(block)
    end
  end
  return rows
end

--- Returns the code blocks in a block of text.
---@param lines string[]
---@param row integer of the first line
---@return emendo.Code[]
local function codes_in(lines, row)
  local list, open = {}, nil
  local fence, indent, before = '', '', ''
  for i, line in ipairs(lines) do
    local lead, marks, info = line:match('^(%s*)(```+)%s*([^`]*)$')
    if not marks then
      lead, marks, info = line:match('^(%s*)(~~~+)%s*(.*)$')
    end
    if open and marks and info == '' and vim.startswith(marks, fence) then
      open.last = row + i - 1
      list[#list + 1], open = open, nil
    elseif open then
      table.insert(open.lines, vim.startswith(line, indent) and line:sub(#indent + 1) or vim.trim(line) == '' and '' or line)
    elseif marks then
      open = { first = row + i - 1, lines = {}, info = vim.trim(info), before = before }
      fence, indent = marks, lead
    elseif vim.trim(line) ~= '' then
      before = line
    end
  end
  return list
end

--- Returns the code blocks of the conversation.
---@return emendo.Code[]
local function codes()
  local list = {}
  for _, block in ipairs(view.all()) do
    if block.grows == 'head' then
      vim.list_extend(list, codes_in(block.head, view.row(block)))
    end
  end
  return list
end

--- Goes to the next or previous of some rows, and sets the ' mark. Reports if no row follows.
---@param rows integer[]
---@param by 1|-1
---@param what string
local function go(rows, by, what)
  local here = vim.api.nvim_win_get_cursor(0)[1] - 1
  for i = by == 1 and 1 or #rows, by == 1 and #rows or 1, by do
    if by * (rows[i] - here) > 0 then
      vim.cmd("normal! m'")
      vim.api.nvim_win_set_cursor(0, { rows[i] + 1, 0 })
      return vim.cmd('normal! zz')
    end
  end
  messages.info(('no %s %s'):format(by == 1 and 'later' or 'earlier', what))
end

local function go_turn(by)
  return function()
    go(turns(), by, 'question')
  end
end

local function go_code(by)
  return function()
    local rows = vim.tbl_map(function(code)
      return code.first + (#code.lines > 0 and 1 or 0)
    end, codes())
    go(rows, by, 'code block')
  end
end

--- Returns the code block at the cursor. Warns if the cursor is not in one.
---@return emendo.Code?
local function here()
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, code in ipairs(codes()) do
    if code.first <= row and row <= code.last then
      return code
    end
  end
  messages.warn('there is no code block at the cursor; ' .. (keys.inside('panel', 'next_code') or 'the key next_code') .. ' goes to one')
end

--- Yanks the code block at the cursor into the given register.
local function yank()
  local code = here()
  if code then
    vim.fn.setreg(vim.v.register, code.lines, 'l')
    messages.info('yanked ' .. plural(#code.lines, 'line'))
  end
end

--- Proposes the code block at the cursor as a change.
local function apply()
  local code = here()
  if code then
    require('emendo.review.code_block').propose(code)
  end
end

--- Opens the file that the text at the cursor names.
local function open()
  if not require('emendo.windows.jump').under_cursor() then
    messages.warn('there is no file of that name')
  end
end

--- Lists the questions and the headings of answers, and goes to the chosen one.
local function outline()
  local items, buf = {}, vim.api.nvim_get_current_buf()
  local function add(row, text)
    items[#items + 1] = { bufnr = buf, lnum = row + 1, text = text }
  end
  for _, block in ipairs(view.all()) do
    local row = view.row(block)
    if block.heading == 'You' then
      add(row, block.head[1])
    elseif block.grows == 'head' then
      local fence = false
      for i, line in ipairs(block.head) do
        if line:match('^%s*```') or line:match('^%s*~~~') then
          fence = not fence
        end
        local marks, title = line:match('^(#+) (.+)$')
        if marks and not fence then
          add(row + i - 1, ('  '):rep(#marks) .. title)
        end
      end
    end
  end
  if #items == 0 then
    return messages.info('the conversation is empty')
  end
  local win = vim.api.nvim_get_current_win()
  vim.ui.select(items, {
    prompt = 'emendo: outline',
    kind = 'emendo.outline',
    format_item = function(item)
      return visible.row(item.text)
    end,
  }, function(item)
    if item and vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf then
      vim.api.nvim_win_set_cursor(win, { math.min(item.lnum, vim.api.nvim_buf_line_count(buf)), 0 })
    end
  end)
end

--- Returns the first line of a block, lead excluded, that has a text, or nil.
local function line_with(block, text)
  local top = view.row(block)
  for i, line in ipairs(vim.api.nvim_buf_get_lines(0, top, top + block.rows - block.lead, false)) do
    if line:lower():find(text:lower(), 1, true) then
      return top + i
    end
  end
end

--- Goes to the next item in which a text stands, also where that is folded, and unfolds it.
local function find()
  vim.ui.input({ prompt = words.find }, function(text)
    local s = session.current
    if not s or not text or text == '' then
      return
    end
    client.request('emendo/view/find', { sessionId = s.id, text = text }, function(err, result)
      local here, first, after = vim.api.nvim_win_get_cursor(0)[1] - 1, nil, nil
      for _, id in ipairs(not err and result.ids or {}) do
        local row = view.row(view.block(id))
        first = first or row and id
        after = after or row and row > here and id
      end
      local block = view.block(after or first or '')
      if not block then
        return messages.info(words.not_found)
      end
      view.set_open(block, true, function()
        local line = view.row(block) and line_with(block, text)
        vim.cmd("normal! m'")
        vim.api.nvim_win_set_cursor(0, { line or view.row(block) + 1, 0 })
      end)
    end)
  end)
end

---@type table<string, emendo.Action>
M.actions = {
  find = { desc = 'find a text, also where it is folded', run = find },
  next_turn = { desc = 'next question', run = go_turn(1) },
  prev_turn = { desc = 'previous question', run = go_turn(-1) },
  next_code = { desc = 'next code block', run = go_code(1) },
  prev_code = { desc = 'previous code block', run = go_code(-1) },
  yank = { desc = 'yank the code block', run = yank },
  apply = { desc = 'propose the code block as a change', run = apply },
  open = { desc = 'open the file under the cursor', run = open },
  outline = { desc = 'list the questions and headings', run = outline },
}

return M
