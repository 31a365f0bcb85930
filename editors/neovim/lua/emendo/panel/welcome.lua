-- The welcome of an empty panel: what emendo sees, what is missing and how to get it, and
-- the user's keys. It is drawn below the text of the panel without changing it, and
-- disappears with the first question.
local attachments = require('emendo.session.attachments')
local buffers = require('emendo.server.buffers')
local client = require('emendo.server.client')
local config = require('emendo.config')
local events = require('emendo.events')
local file_window = require('emendo.server.file_window')
local keys = require('emendo.keys')
local layout = require('emendo.windows.layout')
local paths = require('emendo.server.paths')
local sandbox = require('emendo.session.sandbox')
local session = require('emendo.session')
local visible = require('emendo.text.visible')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.welcome')

---@alias emendo.Chunks {[1]: string, [2]: string|nil}[]

local room = 40 -- columns of the panel

--- Wraps a text into lines of that width. A command such as `:Emendo trust` is one word.
---@param text string
---@param columns integer
---@return string[]
local function words(text, columns)
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
  for i, line in ipairs(words(text, math.max(8, room - indent))) do
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

--- Returns what applies to a question now: files, selection, folder, sandbox, model and mode.
---@return emendo.WelcomeEntry[]
local function current_state()
  local entries, win = {}, file_window.current()
  local function add(rank, lines)
    entries[#entries + 1] = { rank = rank, lines = lines }
  end
  local buf = win and vim.api.nvim_win_get_buf(win)
  local path = buf and paths.of_buffer(buf)
  if path then
    local name = visible.line(vim.fn.fnamemodify(path, ':~:.'))
    local says = vim.bo[buf].modified and ', not saved' or ''
    if client.server.ready and not buffers.paths[buf] then
      says = says .. ', outside the folder: not sent'
    end
    add(3, entry('file', ('%s, line %d%s'):format(name, vim.api.nvim_win_get_cursor(win)[1], says), 'EmendoLink'))
  else
    add(9, entry('file', 'none is open'))
  end
  local l = attachments.linked()
  if l then
    add(4, entry('selection', ('lines %d to %d'):format(l.first, l.last), 'EmendoLink'))
  end
  local server, open = client.server, vim.tbl_count(buffers.paths)
  if open > 1 then
    add(10, entry('open', ('%d files'):format(open)))
  end
  local folder = visible.line(vim.fn.fnamemodify(server.root or client.find_root(), ':~'))
  if vim.fn.strdisplaywidth(folder) > room - 14 then
    folder = '…/' .. vim.fs.basename(folder)
  end
  add(9, entry('folder', folder))
  local status = server.status
  if status and status.sandbox then
    add(8, entry('commands', sandbox.described(status.sandbox), status.sandbox == 'C' and 'EmendoWarning' or nil))
  end
  local s = session.current
  local model, mode = s and s.info.model or session.wanted.model, s and s.info.mode or session.wanted.mode
  if model or mode then
    add(9, entry('model', table.concat({ visible.line(model or 'auto'), mode }, ' · ')))
  end
  return entries
end

-- How long `auth status` may take to list the sources of keys, in milliseconds.
local longest = 5000

local keyless ---@type boolean? no provider has a key; nil as long as that is not known
local looking = false

--- Checks whether there is a key, unless one was found before. The server may report a
--- missing key in addition, when it asks a model.
local function check_for_key()
  local cmd = config.options.cmd
  if looking or keyless == false or vim.fn.executable(cmd[1]) ~= 1 or next(config.options.settings) then
    return
  end
  looking = true
  local function done(result)
    looking = false
    local read, sources = pcall(vim.json.decode, result.stdout or '')
    if not read or type(sources) ~= 'table' then
      return
    end
    keyless = #sources > 0
    for _, from in ipairs(sources) do
      if from.source ~= 'none' and (from.default or from.source ~= 'not_needed') then
        keyless = false
      end
    end
    M.soon()
  end
  if not pcall(vim.system, { cmd[1], 'auth', 'status', '--json' }, { text = true, env = config.options.env, timeout = longest }, vim.schedule_wrap(done)) then
    looking = false
  end
end

--- Returns what is missing, and what to do about it.
---@return emendo.WelcomeEntry[]
local function missing()
  local entries = {}
  local function say(group, text, brief)
    local before = { '✗ ', group }
    entries[#entries + 1] = { rank = 1, lines = beside(before, text, group), brief = beside(before, brief, group) }
  end
  local server = client.server
  local program = config.options.cmd[1]
  if not server.client and vim.fn.executable(program) ~= 1 then
    local lacks = ('There is no program %q'):format(program)
    say('EmendoError', lacks .. '. Install emendo and put it on the PATH, or set cmd in setup(); :checkhealth emendo says more.', lacks .. ': :checkhealth emendo')
  end
  local kind = server.status and server.status.kind
  if kind == 'signed_out' or keyless and kind ~= 'busy' then
    say(
      'EmendoError',
      'There is no key for a model. Run `emendo auth login` in a terminal, or set a variable such as GEMINI_API_KEY before Neovim starts.',
      'There is no key for a model: run `emendo auth login`'
    )
  end
  if kind == 'restricted' then
    say('EmendoWarning', session.restricted .. ' :Emendo trust shows what it would start, and asks.', 'This folder is restricted: :Emendo trust')
  elseif kind == 'error' then
    local says = visible.line(server.status.message or 'The server reports an error.')
    say('EmendoError', says .. ' :checkhealth emendo says more.', says)
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
    { 2, keys.inside('prompt', 'send') or ':Emendo send', 'sends the question' },
    { 5, '@ /', 'names a file, a command' },
    { 7, keys.of('ask'), 'asks about the selected lines' },
    { 6, pair('next', 'prev'), 'next and previous change' },
    { 6, pair('accept', 'reject'), 'accepts, rejects the change' },
    { 7, keys.of('toggle'), 'opens and closes the panel' },
    { 5, ':help emendo', 'everything else' },
  }) do
    entries[i] = { rank = key[1], lines = entry(key[2], key[3], nil, 'EmendoKey') }
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
    { title = 'Missing', entries = missing() },
    { title = 'emendo sees', entries = current_state() },
    { title = 'Keys', entries = key_hints() },
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
  if not buf or not session.transcript():is_new() then
    return
  end
  check_for_key()
  vim.api.nvim_buf_set_extmark(buf, ns, vim.api.nvim_buf_line_count(buf) - 1, 0, { virt_lines = M.lines(vim.api.nvim_win_get_width(pair.panel) - 2, free(pair.panel)) })
  shown = buf
end

local due = false

--- Schedules an update of the welcome.
function M.soon()
  if not due and (shown or session.transcript():is_new()) then
    due = true
    vim.schedule(function()
      due = false
      M.update()
    end)
  end
end

events.on({ 'drawn', 'Server', 'Status', 'Session', 'Turn' }, M.soon)
vim.api.nvim_create_autocmd({ 'BufEnter', 'WinEnter', 'WinResized', 'BufWritePost', 'InsertLeave' }, {
  group = vim.api.nvim_create_augroup('emendo.welcome', {}),
  callback = M.soon,
})

return M
