-- Navigation in the panel: jumps between questions and between code blocks, an outline, and
-- actions for a code block.
local act = require('emendo.session.act')
local client = require('emendo.server.client')
local code = require('emendo.panel.code')
local context = require('emendo.server.context')
local keys = require('emendo.keys')
local menu = require('emendo.menu')
local messages = require('emendo.messages')
local panel_act = require('emendo.panel.act')
local session = require('emendo.session')
local view = require('emendo.panel.view')
local visible = require('emendo.text.visible')
local window = require('emendo.session.window')
local words = require('emendo.words')

local M = {}

--- Calls a function with each code block of the conversation, the block that it is in, and the
--- row of the fence above it.
---@param f fun(code: emendo.Code, block: emendo.Block, row: integer)
local function each_code(f)
  for _, block in ipairs(view.all()) do
    for _, found in ipairs(block.grows == 'head' and code.blocks(block.head) or {}) do
      f(found, block, view.row(block) + found.first - 1)
    end
  end
end

--- Goes to the next or previous of some rows, and sets the ' mark. Reports if no row follows.
---@param rows integer[]
---@param by 1|-1
---@param what table<1|-1, string> what to say then
local function go(rows, by, what)
  local here = vim.api.nvim_win_get_cursor(0)[1] - 1
  for i = by == 1 and 1 or #rows, by == 1 and #rows or 1, by do
    if by * (rows[i] - here) > 0 then
      vim.cmd("normal! m'")
      vim.api.nvim_win_set_cursor(0, { rows[i] + 1, 0 })
      return vim.cmd('normal! zz')
    end
  end
  messages.info(what[by])
end

local function go_turn(by)
  local turns = vim.tbl_filter(function(block)
    return block.heading == 'You'
  end, view.all())
  go(vim.tbl_map(view.row, turns), by, words.no_question)
end

local function go_code(by)
  local rows = {}
  each_code(function(found, _, row)
    rows[#rows + 1] = row + (#found.lines > 0 and 1 or 0)
  end)
  go(rows, by, words.no_code_block)
end

--- Returns the code block at the cursor, and the block that it is in. Warns where no code is.
local function here()
  local at, code_here, block_here = vim.api.nvim_win_get_cursor(0)[1] - 1, nil, nil
  each_code(function(found, block, row)
    if row <= at and at <= row + found.last - found.first then
      code_here, block_here = found, block
    end
  end)
  if not code_here then
    messages.warn(words.no_code_here:format(keys.inside('panel', 'next_code') or 'next_code'))
  end
  return code_here, block_here
end

--- Yanks the code block at the cursor into the given register.
local function yank()
  local found = here()
  if found then
    vim.fn.setreg(vim.v.register, found.lines, 'l')
    messages.info(words.yanked)
  end
end

--- Proposes the code block at the cursor as a change. The server finds the place.
local function apply()
  local found, block = here()
  if found then
    context.flush()
    act.run(panel_act.of(block.id), { id = 'apply' }, { text = table.concat(found.lines, '\n'), values = { info = { found.info }, before = { found.before } } })
  end
end

--- Returns the text at the cursor that may name a place in a file, or the next one in the line.
---@param exact? boolean at the cursor alone
local function name(exact)
  local line, column, first = vim.api.nvim_get_current_line(), vim.api.nvim_win_get_cursor(0)[2], nil
  for from, word, past in line:gmatch('()(%S+)()') do
    if exact and from - 1 > column then
      return nil
    elseif past - 1 > column and word:find('[%w_][./:]%w') then
      return word .. (line:match('^ lines? %d+', past) or '')
    elseif past - 1 > column then
      first = first or word
    end
  end
  return not exact and first or nil
end

--- Opens the file that the text at the cursor names. The server finds it.
---@param exact? boolean at the cursor alone
---@param failed? fun(err?: emendo.Error) it names none
function M.open(exact, failed)
  local block, text = view.at(vim.api.nvim_win_get_cursor(0)[1] - 1), name(exact)
  local own = block and (vim.startswith(block.id, 'own/') or block.id == 'welcome') -- the server knows none of it
  if block and text and not own then
    local of = block.question and { view = window.view, id = block.id } or panel_act.of(block.id)
    act.run(of, { id = 'open' }, { text = text, failed = failed })
  elseif failed then
    failed()
  else
    messages.info(words.no_action)
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
      local codes = code.blocks(block.head)
      for i, line in ipairs(block.head) do
        local marks, title = line:match('^(#+) (.+)$')
        if codes[1] and i > codes[1].last then
          table.remove(codes, 1)
        end
        if marks and not (codes[1] and i > codes[1].first) then
          add(row + i - 1, ('  '):rep(#marks) .. title)
        end
      end
    end
  end
  local win = vim.api.nvim_get_current_win()
  local function line(item)
    return visible.row(item.text)
  end
  menu(items, { kind = 'outline', prompt = words.outline, none = words.empty, line = line }, function(item)
    if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == buf then
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
      view.draw() -- what has come
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
        vim.cmd("normal! m'")
        vim.api.nvim_win_set_cursor(0, { line_with(block, text) or view.row(block) + 1, 0 })
      end)
    end)
  end)
end

--- What the keys of the panel do, by the names of the options.
M.actions = {
  find = find,
  next_turn = { go_turn, 1 },
  prev_turn = { go_turn, -1 },
  next_code = { go_code, 1 },
  prev_code = { go_code, -1 },
  yank = yank,
  apply = apply,
  open = M.open,
  outline = outline,
}

return M
