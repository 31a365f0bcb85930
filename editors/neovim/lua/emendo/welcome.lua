-- What an empty panel shows: what emendo sees, what is missing and how to get it,
-- and the keys as the user has them. It is drawn below the text of the panel, which
-- it does not change, and goes with the first question.
local attach = require('emendo.attach')
local client = require('emendo.client')
local config = require('emendo.config')
local context = require('emendo.context')
local keyname = require('emendo.keyname')
local layout = require('emendo.layout')
local session = require('emendo.session')
local visible = require('emendo.visible')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.welcome')

---@alias emendo.Chunks {[1]: string, [2]: string|nil}[]

local room = 40 -- columns of the panel

--- Words in lines of so many columns.
---@param text string
---@param columns integer
---@return string[]
local function words(text, columns)
  local lines, line = {}, nil
  for word in text:gmatch('%S+') do
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

--- A text with something before its first line.
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

--- A line of two columns.
---@param name string
---@param text string
---@param group? string
---@param name_group? string
---@return emendo.Chunks[]
local function entry(name, text, group, name_group)
  local wide = room < 36 and 9 or 14
  local left = name .. (' '):rep(wide - vim.fn.strdisplaywidth(name))
  if vim.fn.strdisplaywidth(name) >= wide then -- no room beside it
    return vim.list_extend({ { { name, name_group or 'EmendoHunk' } } }, beside({ (' '):rep(wide), nil }, text, group))
  end
  return beside({ left, name_group or 'EmendoHunk' }, text, group)
end

--- What goes with a question now.
---@return emendo.Chunks[]
local function sees()
  local lines, win = {}, context.window()
  local function add(more)
    vim.list_extend(lines, more)
  end
  local buf = win and vim.api.nvim_win_get_buf(win)
  local path = buf and attach.path(buf)
  if path then
    local name = visible.line(vim.fn.fnamemodify(path, ':~:.'))
    local says = vim.bo[buf].modified and ', not saved' or ''
    if client.server.ready and not attach.paths[buf] then
      says = says .. ', outside the folder: not sent'
    end
    add(entry('file', ('%s, line %d%s'):format(name, vim.api.nvim_win_get_cursor(win)[1], says), 'EmendoLink'))
  else
    add(entry('file', 'none is open'))
  end
  local l = require('emendo.prompt').linked()
  if l then
    add(entry('selection', ('lines %d to %d'):format(l.first, l.last), 'EmendoLink'))
  end
  local server, open = client.server, vim.tbl_count(attach.paths)
  if open > 1 then
    add(entry('open', ('%d files'):format(open)))
  end
  local folder = visible.line(vim.fn.fnamemodify(server.root or client.find_root(), ':~'))
  if vim.fn.strdisplaywidth(folder) > room - 14 then
    folder = '…/' .. vim.fs.basename(folder)
  end
  add(entry('folder', folder))
  local status = server.status
  if status and status.sandbox then
    add(entry('commands', require('emendo.status').held(status.sandbox), status.sandbox == 'C' and 'EmendoWarning' or nil))
  end
  local s = session.current
  local model, mode = s and s.info.model or session.wanted.model, s and s.info.mode or session.wanted.mode
  if model or mode then
    add(entry('model', table.concat({ visible.line(model or 'auto'), mode }, ' · ')))
  end
  return lines
end

-- The program may take so long to say where keys come from, in milliseconds.
local longest = 5000

local keyless ---@type boolean? no provider has a key; nil as long as that is not known
local looking = false

--- Looks whether there is a key, unless there was one. What the server finds out when
--- it asks a model comes on top.
local function look()
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

--- What is missing, and what to do about it.
---@return emendo.Chunks[]
local function missing()
  local lines = {}
  local function say(text, group)
    vim.list_extend(lines, beside({ '✗ ', group or 'EmendoWarning' }, text, group or 'EmendoWarning'))
  end
  local server = client.server
  local program = config.options.cmd[1]
  if not server.client and vim.fn.executable(program) ~= 1 then
    say(('There is no program %q. Install emendo and put it on the PATH, or set cmd in setup(); :checkhealth emendo says more.'):format(program), 'EmendoError')
  end
  local kind = server.status and server.status.kind
  if kind == 'signed_out' or keyless and kind ~= 'busy' then
    say('There is no key for a model. Run `emendo auth login` in a terminal, or set a variable such as GEMINI_API_KEY before Neovim starts.', 'EmendoError')
  end
  if kind == 'restricted' then
    say('This folder is restricted: emendo reads and proposes changes, and runs nothing. :Emendo trust shows what it would start, and asks.')
  elseif kind == 'error' then
    say(visible.line(server.status.message or 'The server reports an error.') .. ' :checkhealth emendo says more.', 'EmendoError')
  end
  return lines
end

--- The keys that a beginner needs.
---@return emendo.Chunks[]
local function keys()
  local function pair(a, b)
    return keyname.of(a) .. ' ' .. keyname.of(b)
  end
  local lines = {}
  for _, key in ipairs({
    { keyname.inside('prompt', 'send') or ':Emendo send', 'sends the question' },
    { '@ /', 'names a file, a command' },
    { keyname.of('ask'), 'asks about the selected lines' },
    { pair('next', 'prev'), 'next and previous change' },
    { pair('accept', 'reject'), 'accepts, rejects the change' },
    { keyname.of('toggle'), 'opens and closes the panel' },
    { ':help emendo', 'everything else' },
  }) do
    vim.list_extend(lines, entry(key[1], key[2], nil, 'EmendoKey'))
  end
  return lines
end

--- The lines of the welcome.
---@param width integer columns of the panel
---@return emendo.Chunks[]
function M.lines(width)
  room = math.max(20, width)
  local lines = {}
  local function section(title, group, of)
    if #of > 0 then
      if #lines > 0 then
        lines[#lines + 1] = { { '', nil } }
      end
      lines[#lines + 1] = { { title, group } }
      vim.list_extend(lines, of)
    end
  end
  section('emendo sees', 'EmendoHeading', sees())
  section('Missing', 'EmendoHeading', missing())
  section('Keys', 'EmendoHeading', keys())
  return lines
end

local shown ---@type integer? the buffer that shows it

--- Shows the welcome, or takes it away, as the conversation is.
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
  look()
  vim.api.nvim_buf_set_extmark(buf, ns, vim.api.nvim_buf_line_count(buf) - 1, 0, { virt_lines = M.lines(vim.api.nvim_win_get_width(pair.panel) - 2) })
  shown = buf
end

local due = false

--- Looks at it again in a moment.
function M.soon()
  if not due and (shown or session.transcript():is_new()) then
    due = true
    vim.schedule(function()
      due = false
      M.update()
    end)
  end
end

require('emendo.view').on_draw = M.soon

local group = vim.api.nvim_create_augroup('emendo.welcome', {})
vim.api.nvim_create_autocmd('User', { group = group, pattern = { 'EmendoServer', 'EmendoStatus', 'EmendoSession', 'EmendoTurn' }, callback = M.soon })
vim.api.nvim_create_autocmd({ 'BufEnter', 'WinEnter', 'WinResized', 'BufWritePost', 'InsertLeave' }, { group = group, callback = M.soon })

return M
