-- The line above the prompt: the context of the next question as chips, struck through
-- if they are not sent, and the keys. The server reports what it would send.
local attachments = require('emendo.session.attachments')
local buffers = require('emendo.server.buffers')
local client = require('emendo.server.client')
local context = require('emendo.server.context')
local events = require('emendo.events')
local file_window = require('emendo.server.file_window')
local keys = require('emendo.keys')
local layout = require('emendo.windows.layout')
local messages = require('emendo.messages')
local paths = require('emendo.server.paths')
local plural = require('emendo.text.plural')
local queue = require('emendo.session.queue')
local session = require('emendo.session')
local status_line = require('emendo.panel.status_line')
local visible = require('emendo.text.visible')

local M = {}

-- The delay between a change of the context and the request to the server, in
-- milliseconds.
local delay = 120

---@class emendo.Chip
---@field text string
---@field state 'sent'|'left'|'unknown'
---@field why? string why it is not sent
---@field kind string as emendo/context/list has them
---@field uri? string of a file

local listed = { items = {} } ---@type table what the server said last
local asked ---@type string? what it was asked about
local hidden = {} ---@type table<string, boolean> active files that are kept from the model, by path
local tried ---@type integer? the client for which a session was made to ask about
local timer = assert(vim.uv.new_timer())

local function tail(path)
  return visible.line(vim.fn.fnamemodify(path, ':t'))
end

--- Returns the entry of what the user has left out that is a chip, or nil.
local function excluded(chip)
  for _, entry in ipairs(listed.leftOut or {}) do
    if entry.kind == chip.kind and (entry.uri == chip.uri or entry.uri and chip.uri and paths.of_uri(entry.uri) == paths.of_uri(chip.uri)) then
      return entry
    end
  end
end

--- Reports whether the server would send a file as a kind of context; nil if unknown.
local function sends(kind, path)
  if not listed.key or listed.key ~= asked then
    return nil
  end
  for _, item in ipairs(listed.items) do
    if item.kind == kind and item.uri and paths.of_uri(item.uri) == path then
      return true
    end
  end
  return false
end

---@return emendo.Chip?
local function selection()
  local l = attachments.linked()
  if not l then
    return nil
  end
  local path = paths.of_buffer(l.buf)
  local name = vim.api.nvim_buf_get_name(l.buf)
  local text = ('%s:%d-%d'):format(name ~= '' and tail(name) or '[No Name]', l.first, l.last)
  if not path then
    return { text = text, state = 'sent', kind = 'linked' } -- its text is sent with the question
  end
  local chip = { text = text, state = 'sent', kind = 'linked', uri = vim.uri_from_bufnr(l.buf) }
  local sent = sends('linked', path)
  if sent == nil then
    chip.state = 'unknown'
  elseif not sent then
    chip.state, chip.why = 'left', 'ignored, or it may hold secrets'
  end
  return chip
end

---@return emendo.Chip?
---@return integer? buf
local function active()
  local win = file_window.current()
  if not win then
    return nil
  end
  local buf = vim.api.nvim_win_get_buf(win)
  local path = paths.of_buffer(buf)
  if not path then
    return nil
  end
  local chip = { text = tail(path), state = 'sent', kind = 'editor', uri = vim.uri_from_bufnr(buf) }
  if not client.server.ready then
    chip.state = 'unknown'
  elseif not buffers.paths[buf] then
    chip.state, chip.why = 'left', 'outside the folder'
  elseif hidden[path] then
    chip.state, chip.why = 'left', 'ignored, or it may hold secrets'
  elseif hidden[path] == nil then
    chip.state = 'unknown'
  end
  return chip, buf
end

--- Returns the chip for errors and warnings of the current file, which are sent with it.
---@param chip emendo.Chip
---@return emendo.Chip?
local function problems(chip, buf)
  local count = #vim.diagnostic.get(buf, { severity = { min = vim.diagnostic.severity.WARN } })
  if count > 0 then
    return { text = plural(count, 'problem'), state = chip.state, why = chip.why, kind = 'editor', uri = chip.uri }
  end
end

-- What is shown of the server's list as it says it; the rest is said by the plugin itself, since it
-- changes with every move of the cursor.
local known = { context_file = true, memory = true, folders = true }

--- Returns the context of the next question.
---@return emendo.Chip[]
function M.list()
  local chips = { selection() }
  local file, buf = active()
  if file then
    chips[#chips + 1] = file
    chips[#chips + 1] = problems(file, buf)
  end
  for _, image in ipairs(attachments.images()) do
    table.insert(chips, { text = visible.line(image.name), state = 'sent', kind = 'image' })
  end
  for _, chip in ipairs(chips) do
    local out = excluded(chip)
    if out then
      chip.state, chip.why = 'left', out.note.text
    end
  end
  for _, files in ipairs({ true, false }) do
    for i, entries in ipairs({ listed.items, listed.leftOut or {} }) do
      for _, entry in ipairs(entries) do
        if known[entry.kind] and (entry.kind == 'context_file') == files then
          table.insert(chips, { text = entry.label.text, state = i == 1 and 'sent' or 'left', why = i == 2 and entry.note.text or nil, kind = entry.kind, uri = entry.uri })
        end
      end
    end
  end
  return chips
end

--- Returns a key for what the server is asked about.
---@return string
local function subject()
  local l, win = attachments.linked(), file_window.current()
  local s = session.current
  return table.concat({
    s and not s.stale and s.id or '',
    l and ('%d:%d-%d'):format(l.buf, l.first, l.last) or '',
    win and vim.api.nvim_win_get_buf(win) or '',
    client.server.ready and 'ready' or '',
  }, ' ')
end

--- Creates the session for the user's first question, so that the server can report its
--- context. If a mode or model is requested, which may fail, the question creates it.
local function create_session()
  if not session.wanted.mode and not session.wanted.model then
    session.ensure(function() end)
  end
end

--- Asks the server what it would send.
local function ask()
  local s = session.current
  if not layout.pair() or not client.server.ready then
    return
  elseif not s or s.stale then
    if tried ~= client.server.client.id and vim.api.nvim_get_current_win() == layout.pair().prompt then
      tried = client.server.client.id
      create_session()
    end
    return
  end
  local key, prompt = subject(), {}
  asked = key
  local l = attachments.linked()
  if l and paths.of_buffer(l.buf) then
    prompt[1] = {
      type = 'resource_link',
      uri = vim.uri_from_bufnr(l.buf),
      name = tail(vim.api.nvim_buf_get_name(l.buf)),
      _meta = { range = { start = { line = l.first - 1, character = 0 }, ['end'] = { line = l.last, character = 0 } } },
    }
  end
  local win = file_window.current()
  local path = win and buffers.paths[vim.api.nvim_win_get_buf(win)]
  context.flush()
  client.request('emendo/context/list', { sessionId = s.id, next = true, prompt = prompt }, function(err, result)
    if err or asked ~= key then
      return
    end
    listed = { key = key, items = result.items or {}, leftOut = result.leftOut }
    for _, item in ipairs(listed.items) do
      if item.kind == 'editor' and path then
        hidden[path] = not item.uri
      end
    end
    if path and hidden[path] == nil then
      hidden[path] = false -- the editor's context has not changed since the last question
    end
    vim.cmd.redrawstatus({ bang = true })
  end)
end

--- Schedules a request to the server.
function M.refresh()
  if not timer:is_active() then
    timer:start(delay, 0, vim.schedule_wrap(ask))
  end
end

--- Returns the keys that send, depending on whether a turn is running.
---@return emendo.Piece[]
local function key_hints()
  local brief = queue.brief()
  if brief ~= '' then
    return { { text = brief, group = 'EmendoLineWarn', weight = 3 }, { text = ':Emendo queue', group = 'EmendoLineDim', weight = 1 } }
  end
  local running = session.current and session.current.running
  local list = running and { { 'send', 'queues' }, { 'steer', 'steers' }, { 'cancel', 'cancels' } } or { { 'send', 'sends' } }
  local hints = {}
  for i, key in ipairs(list) do
    local lhs = keys.inside('prompt', key[1])
    if lhs then
      table.insert(hints, { text = lhs .. ' ' .. key[2], group = 'EmendoLineDim', weight = i })
    end
  end
  return hints
end

local groups = { sent = 'EmendoChip', left = 'EmendoChipOff', unknown = 'EmendoLineDim' }

--- Returns what the line above the prompt shows about the queue, in `room` columns. The
--- command that lists the queue is omitted if there is hardly room for a question.
---@param room integer
---@return emendo.Piece[]
local function queued(room)
  local command = { text = ':Emendo queue', group = 'EmendoLineDim', weight = 2 }
  local rest = room - #command.text - 3
  local brief = visible.shortened(queue.brief(), rest >= 10 and rest or room)
  return { { text = brief, group = 'EmendoLineWarn', weight = 1 }, rest >= 10 and command or nil }
end

--- Returns the first chips that fit, and a count of the others.
---@param chips emendo.Piece[]
---@param room integer
---@return emendo.Piece[]
local function fitting(chips, room)
  local shown = status_line.fit(chips, room)
  if #shown == #chips then
    return shown
  end
  local more = #chips > 1 and #tostring(#chips - 1) + 2 or 0
  shown = status_line.fit(chips, room - more)
  if #shown == 0 then
    local text = visible.shortened(vim.trim(chips[1].text), room - more - 3)
    shown = { { text = ' ' .. text .. ' ', group = chips[1].group, weight = 1 } }
  end
  if #shown < #chips then
    shown[#shown + 1] = { text = ('+%d'):format(#chips - #shown), group = 'EmendoLineDim', weight = 0 }
  end
  return shown
end

--- Returns the line above the prompt. The context is more important than the keys.
---@return string
function M.winbar()
  if subject() ~= asked then
    M.refresh()
  end
  local width = vim.api.nvim_win_get_width(vim.g.statusline_winid or 0) - 1 -- a leading space
  local chips, all = {}, M.list()
  for i, chip in ipairs(all) do
    local same = i > 1 and chip.kind == 'editor' and chip.uri == all[1].uri and chip.state == all[1].state and chip.text == tail(chip.uri)
    if not same then -- the chip of the linked lines already names the file
      chips[#chips + 1] = { text = ' ' .. chip.text .. ' ', group = groups[chip.state], weight = i }
    end
  end
  local least = chips[1] and vim.fn.strdisplaywidth(chips[1].text) + (#chips > 1 and #tostring(#chips - 1) + 3 or 1) or 1
  local right = key_hints()
  local some, left = status_line.fit(right, width - least + 2, 3)
  if queue.brief() ~= '' and #some < #right then
    some, left, chips = queued(width - 2), 0, {}
  end
  local used = #some > 0 and width - least - left or 1
  return '%#EmendoLine# ' .. status_line.render(fitting(chips, width - used)) .. '%=' .. status_line.render(some, '%#EmendoLineDim# · ')
end

--- Excludes a chip from the context, or includes it again.
---@param chip emendo.Chip
function M.toggle(chip)
  session.ensure(function(s)
    if not s then
      return
    end
    local out = excluded(chip)
    client.request('emendo/context/exclude', { sessionId = s.id, kind = chip.kind, uri = chip.uri, on = not out }, function(err)
      if err then
        return messages.error(err.message)
      end
      asked = nil
      M.refresh()
      vim.cmd.redrawstatus({ bang = true })
    end)
  end)
end

--- Lets the user exclude or include parts of the context of the next question.
function M.select()
  local chips = vim.tbl_filter(function(chip)
    return chip.kind ~= 'image' and not (chip.kind == 'linked' and not chip.uri)
  end, M.list())
  if #chips == 0 then
    return messages.info('nothing goes with the question')
  end
  local typing = vim.api.nvim_get_mode().mode:match('^i')
  vim.cmd.stopinsert()
  vim.ui.select(chips, {
    prompt = 'emendo: what goes with the question',
    kind = 'emendo.context',
    format_item = function(chip)
      return ('[%s] %s%s'):format(chip.state == 'left' and ' ' or 'x', chip.text, chip.why and ' (' .. chip.why .. ')' or '')
    end,
  }, function(chip)
    if chip and chip.state == 'left' and not excluded(chip) then
      messages.warn(('%s is not sent: %s'):format(chip.text, chip.why))
    elseif chip then
      M.toggle(chip)
    end
    vim.schedule(function() -- Insert mode must end before it can start again
      if typing and vim.bo.filetype == 'emendo-prompt' then
        vim.cmd('startinsert!')
      end
    end)
  end)
end

events.on('Server', function()
  hidden, tried = {}, nil
end)
events.on({ 'Turn', 'Server', 'Session' }, function()
  asked = nil
  if layout.pair() then
    M.refresh()
  end
end)

return M
