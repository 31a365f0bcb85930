-- The line above the prompt: what goes with the next question as chips, struck through if they
-- are not sent, and the keys. The server says what the chips are.
local attachments = require('emendo.session.attachments')
local client = require('emendo.server.client')
local context = require('emendo.server.context')
local events = require('emendo.events')
local file_window = require('emendo.server.file_window')
local keys = require('emendo.keys')
local layout = require('emendo.windows.layout')
local messages = require('emendo.messages')
local plural = require('emendo.text.plural')
local session = require('emendo.session')
local status_line = require('emendo.panel.status_line')
local visible = require('emendo.text.visible')
local words = require('emendo.words')

local M = {}

-- The delay between a change of the context and the request to the server, in
-- milliseconds.
local delay = 120

---@class emendo.Chip as emendo/context/list has them
---@field kind string
---@field label emendo.Text
---@field note? emendo.Text
---@field off? 'left_out'|'kept' it is not sent
---@field uri? string of a file

local listed = {} ---@type emendo.Chip[]
local asked ---@type string? what the server was asked about
local tried ---@type integer? the client for which a session was made to ask about
local timer = assert(vim.uv.new_timer())

--- Returns the context of the next question.
function M.list()
  local chips = {}
  for _, chip in ipairs(listed) do
    chips[#chips + 1] = chip
    local buf = chip.kind == 'editor' and file_window.buffer()
    local problems = buf and #vim.diagnostic.get(buf, { severity = { min = vim.diagnostic.severity.WARN } }) or 0
    if problems > 0 then -- are sent with the file
      chips[#chips + 1] = vim.tbl_extend('force', chip, { label = { text = plural(problems, 'problem') } })
    end
  end
  for _, image in ipairs(attachments.images()) do
    table.insert(chips, { kind = 'image', label = { text = visible.line(image.name) } })
  end
  return chips
end

--- Returns a key for what the server is asked about.
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

--- Asks the server what it would send. Creates the session for the user's first question, so
--- that there is one to ask about, unless a mode or a model is requested, which may fail.
local function ask()
  local s, server = session.current, client.server
  if not layout.pair() or not server.ready then
    return
  elseif not s or s.stale then
    local first = tried ~= server.client.id and vim.api.nvim_get_current_win() == layout.pair().prompt
    tried = first and server.client.id or tried
    if first and not session.wanted.mode and not session.wanted.model then
      session.ensure(function() end)
    end
    return
  end
  local key, l = subject(), attachments.linked()
  asked = key
  context.flush()
  local prompt = l and { attachments.block_of(l.buf, l.first, l.last) } or {}
  client.request('emendo/context/list', { sessionId = s.id, next = true, prompt = prompt }, function(err, result)
    if not err and asked == key then
      listed = result.chips or {}
      vim.cmd.redrawstatus({ bang = true })
    end
  end)
end

--- Schedules a request to the server.
function M.refresh()
  if not timer:is_active() then
    timer:start(delay, 0, vim.schedule_wrap(ask))
  end
end

--- Returns the keys that send, depending on whether a turn is running.
local function key_hints()
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

--- Returns what the line above the prompt shows about the queue, in `room` columns. The
--- command that lists the queue is omitted if there is hardly room for a question.
local function queued(brief, room)
  local command = { text = words.queue, group = 'EmendoLineDim', weight = 2 }
  local rest = room - #command.text - 3
  local text = visible.shortened(brief, rest >= 10 and rest or room)
  return { { text = text, group = 'EmendoLineWarn', weight = 1 }, rest >= 10 and command or nil }
end

--- Returns the first chips that fit, and a count of the others.
---@param chips emendo.Piece[]
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
function M.winbar()
  if subject() ~= asked then
    M.refresh()
  end
  local width = vim.api.nvim_win_get_width(vim.g.statusline_winid or 0) - 1 -- a leading space
  local chips, all = {}, M.list()
  for i, chip in ipairs(all) do
    local named = i == 2 and chip.kind == 'editor' and chip.uri == all[1].uri and chip.off == all[1].off
    if not named then -- by the chip of its lines
      chips[#chips + 1] = { text = ' ' .. (chip.label.short or chip.label.text) .. ' ', group = chip.off and 'EmendoChipOff' or 'EmendoChip', weight = i }
    end
  end
  local least = chips[1] and vim.fn.strdisplaywidth(chips[1].text) + (#chips > 1 and #tostring(#chips - 1) + 3 or 1) or 1
  local brief = session.view():queue_brief()
  local right = brief ~= '' and queued(brief, math.huge) or key_hints()
  local some, left = status_line.fit(right, width - least + 2, 3)
  if brief ~= '' and #some < #right then
    some, left, chips = queued(brief, width - 2), 0, {}
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
    client.ask('emendo/context/exclude', { sessionId = s.id, kind = chip.kind, uri = chip.uri, on = not chip.off }, function()
      asked = nil
      M.refresh()
    end)
  end)
end

--- Lets the user exclude or include parts of the context of the next question.
function M.select()
  local chips = vim.tbl_filter(function(chip)
    return chip.kind ~= 'image' and not (chip.kind == 'linked' and not chip.uri)
  end, M.list())
  if #chips == 0 then
    return messages.info(words.no_context)
  end
  local typing = vim.api.nvim_get_mode().mode:match('^i')
  vim.cmd.stopinsert()
  local function line(chip)
    return chip.label.text .. (chip.note and ' (' .. chip.note.text .. ')' or '')
  end
  vim.ui.select(chips, {
    prompt = words.choose_context,
    kind = 'emendo.context',
    format_item = function(chip)
      return (chip.off and '[ ] ' or '[x] ') .. line(chip)
    end,
  }, function(chip)
    if chip and chip.off == 'kept' then
      messages.warn(line(chip))
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
  listed, tried = {}, nil
end)
events.on({ 'Turn', 'Server', 'Session' }, function()
  asked = nil
  if layout.pair() then
    M.refresh()
  end
end)

return M
