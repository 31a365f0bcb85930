-- The welcome of an empty panel: what emendo sees, what is missing and how to get it, and
-- the user's keys. It is drawn below the text of the panel without changing it, and
-- disappears with the first question.
local client = require('emendo.server.client')
local config = require('emendo.config')
local events = require('emendo.events')
local keys = require('emendo.keys')
local layout = require('emendo.windows.layout')
local questions = require('emendo.session.questions')
local session = require('emendo.session')
local View = require('emendo.session.view')
local visible = require('emendo.text.visible')
local window = require('emendo.session.window')
local words = require('emendo.words')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.welcome')

---@alias emendo.Chunks {[1]: string, [2]: string|nil}[]

local room = 40 -- columns of the panel

--- Wraps a text into lines of that width. A command such as `:Emendo trust` is one word.
---@param text string
---@param columns integer
---@return string[]
local function wrapped(text, columns)
  local lines, line = {}, nil
  for word in text:gsub('(:%a+) ', '%1\1'):gmatch('%S+') do
    word = word:gsub('\1', ' ')
    local longer = line and line .. ' ' .. word or word
    if line and vim.fn.strdisplaywidth(longer) > columns then
      lines[#lines + 1], line = line, word
    else
      line = longer
    end
  end
  lines[#lines + 1] = line
  return lines
end

--- Returns the lines of a text with a chunk before the first line and an indent of its width
--- before the others.
---@param before emendo.Chunks[1]
---@param text string
---@param group? string
---@return emendo.Chunks[]
local function beside(before, text, group)
  local indent = vim.fn.strdisplaywidth(before[1])
  local lines = {}
  for i, line in ipairs(wrapped(text, math.max(8, room - indent))) do
    lines[i] = { i == 1 and before or { (' '):rep(indent) }, { line, group } }
  end
  return lines
end

--- Returns an entry in two columns. A name that is too long has its own line.
---@param name string
---@param text string
---@param group? string
---@param name_group? string
---@return emendo.Chunks[]
local function entry(name, text, group, name_group)
  local wide = room < 36 and 10 or 14
  local left = name .. (' '):rep(wide - vim.fn.strdisplaywidth(name))
  if vim.fn.strdisplaywidth(name) >= wide then -- no room beside it
    return vim.list_extend({ { { name, name_group or 'EmendoHunk' } } }, beside({ (' '):rep(wide), nil }, text, group))
  end
  return beside({ left, name_group or 'EmendoHunk' }, text, group)
end

---@class emendo.WelcomeEntry
---@field rank integer where there is no room for all, the largest go first
---@field lines emendo.Chunks[]
---@field brief? emendo.Chunks[] what is shown where there is no room for the lines

-- How soon a line goes where there is no room for all.
local ranks = { file = 3, selection = 4, commands = 8, folder = 9, model = 9, open = 10, suggestion = 11 }
local looks = { file = 'EmendoLink', selection = 'EmendoLink', warning = 'EmendoWarning' }

--- Returns what the server says in the welcome: what it sees, or what to ask.
---@param suggestions boolean
---@return emendo.WelcomeEntry[]
local function said(suggestions)
  local entries = {}
  for _, item in ipairs(window.view:of('welcome')) do
    for _, line in ipairs(item.lines or {}) do
      if (line.id == 'suggestion') == suggestions then
        local text = visible.line(line.text.text)
        if line.id == 'folder' and vim.fn.strdisplaywidth(text) > room - 14 then
          text = '…/' .. vim.fs.basename(text)
        end
        local lines = suggestions and beside({ '· ', 'EmendoHunk' }, text) or entry(line.label and line.label.text or '', text, looks[line.look])
        entries[#entries + 1] = { rank = ranks[line.id] or 10, lines = lines }
      end
    end
  end
  return entries
end

--- Returns what stands in the way, and what to do about it.
---@return emendo.WelcomeEntry[]
local function missing()
  local entries = {}
  local function say(group, text, brief)
    local before = { '✗ ', group }
    entries[#entries + 1] = { rank = 1, lines = beside(before, text, group), brief = beside(before, brief, group) }
  end
  local program = config.options.cmd[1]
  if not client.server.client and vim.fn.executable(program) ~= 1 then
    local lacks = words.no_program:format(program)
    say('EmendoError', lacks .. '. ' .. words.install, lacks .. ': :checkhealth emendo')
  end
  for _, item in ipairs(window.view:of('notice')) do
    if vim.startswith(item.id, 'obstacle/') then
      local help = words.help[vim.tbl_get(item.actions or {}, 1, 'id')] or ''
      local text = item.parts and item.parts[1] and ' ' .. View.text(item.parts[1]) or ''
      local group = item.look == 'warning' and 'EmendoWarning' or 'EmendoError'
      say(group, visible.line(item.title.text .. '.' .. text .. ' ' .. help), visible.line(item.title.text .. ': ' .. help))
    end
  end
  return entries
end

--- Returns the keys that a beginner needs.
---@return emendo.WelcomeEntry[]
local function key_hints()
  local function pair(a, b)
    return keys.of(a) .. ' ' .. keys.of(b)
  end
  local entries = {}
  for i, key in ipairs({
    { 2, keys.inside('prompt', 'send') or ':Emendo send', 'send' },
    { 5, '@ /', 'name' },
    { 7, keys.of('ask'), 'ask' },
    { 6, pair('next', 'prev'), 'next' },
    { 6, pair('accept', 'reject'), 'decide' },
    { 7, keys.of('toggle'), 'toggle' },
    { 5, ':help emendo', 'help' },
  }) do
    entries[i] = { rank = key[1], lines = entry(key[2], words.key[key[3]], nil, 'EmendoKey') }
  end
  return entries
end

--- Returns the entries of the section that loses one next, and the index of that entry.
---@param sections {title: string, entries: emendo.WelcomeEntry[]}[]
---@return emendo.WelcomeEntry[]? entries
---@return integer place
local function last_of(sections)
  local worst, from, place = nil, nil, 0
  for _, section in ipairs(sections) do
    for i, item in ipairs(section.entries) do
      if item.rank > 2 and (not worst or item.rank >= worst.rank) then
        worst, from, place = item, section.entries, i
      end
    end
  end
  return from, place
end

--- Returns the lines of sections.
---@param sections {title: string, entries: emendo.WelcomeEntry[]}[]
---@param dense? boolean without titles
---@return emendo.Chunks[]
local function joined(sections, dense)
  local lines = {}
  for _, section in ipairs(sections) do
    if #section.entries > 0 and not dense then
      if #lines > 0 then
        lines[#lines + 1] = { { '', nil } }
      end
      lines[#lines + 1] = { { section.title, 'EmendoHeading' } }
    end
    for _, item in ipairs(section.entries) do
      vim.list_extend(lines, item.lines)
    end
  end
  return lines
end

--- Returns the lines of the welcome, or as many as there is room for. The entries about what
--- is missing and the key that sends are left out last.
---@param width integer columns of the panel
---@param height? integer lines that are free
---@return emendo.Chunks[]
function M.lines(width, height)
  room = math.max(20, width)
  height = height or math.huge
  local sections = {
    { title = words.missing, entries = missing() },
    { title = words.sees, entries = said(false) },
    { title = (window.view:of('welcome')[1] or { title = { text = '' } }).title.text, entries = said(true) },
    { title = words.keys, entries = key_hints() },
  }
  local lines, short = joined(sections), false
  while #lines > height do
    local from, place = last_of(sections)
    if not short and (not from or from[place].rank <= 4) then
      short = true
      for _, item in ipairs(sections[1].entries) do
        item.lines = item.brief
      end
    elseif from then
      table.remove(from, place)
    else
      lines = joined(sections, true)
      break
    end
    lines = joined(sections)
  end
  return vim.list_slice(lines, 1, math.min(#lines, math.max(1, height)))
end

--- Returns the number of lines of a window that its text leaves free.
---@param win integer
---@return integer
local function free(win)
  local bar = vim.fn.getwininfo(win)[1].winbar
  return vim.api.nvim_win_get_height(win) - bar - vim.api.nvim_win_text_height(win, {}).all
end

local shown ---@type integer? the buffer that shows it

--- Shows the welcome if the conversation is empty, else removes it.
function M.update()
  local pair = layout.pair()
  local buf = pair and vim.api.nvim_win_get_buf(pair.panel)
  if shown and vim.api.nvim_buf_is_valid(shown) then
    vim.api.nvim_buf_clear_namespace(shown, ns, 0, -1)
  end
  shown = nil
  if not buf or not session.view():is_new() or #questions.shown() > 0 then
    return
  end
  vim.api.nvim_buf_set_extmark(buf, ns, vim.api.nvim_buf_line_count(buf) - 1, 0, { virt_lines = M.lines(vim.api.nvim_win_get_width(pair.panel) - 2, free(pair.panel)) })
  shown = buf
end

local due = false

--- Schedules an update of the welcome.
function M.soon()
  if not due and (shown or session.view():is_new()) then
    due = true
    vim.schedule(function()
      due = false
      M.update()
    end)
  end
end

events.on({ 'drawn', 'Server', 'Status', 'Session', 'Turn', 'window' }, M.soon)
vim.api.nvim_create_autocmd('WinResized', {
  group = vim.api.nvim_create_augroup('emendo.welcome', {}),
  callback = M.soon,
})

return M
