-- Runs a prompt outside the conversation, in a separate session that is neither
-- listed nor stored, and shows its progress beside the lines that it is about.
local changes = require('emendo.review.changes')
local client = require('emendo.server.client')
local context = require('emendo.server.context')
local events = require('emendo.events')
local messages = require('emendo.messages')
local session = require('emendo.session')
local spinner = require('emendo.text.spinner')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.aside')

---@class emendo.EphemeralOptions
---@field buf integer the buffer that it is about
---@field first integer line, one-based
---@field last integer line, one-based
---@field title string in a few words
---@field mode 'default'|'plan'
---@field blocks table[] ContentBlocks
---@field done fun(err: emendo.Error?, outcome: emendo.Outcome?)

---@class emendo.Outcome
---@field stop string the stopReason
---@field answer string the last text of the model
---@field proposed boolean edits were proposed

---@class emendo.EphemeralTurn: emendo.EphemeralOptions
---@field mark integer
---@field session emendo.Session?
---@field cancelled boolean
---@field proposed boolean
---@field answer string
---@field message string?
---@field shown emendo.Session? the session that was shown when it began
local running = {} ---@type emendo.EphemeralTurn[]

local timer = assert(vim.uv.new_timer())

--- Draws the spinner of a turn, or removes it once its edits are proposed.
---@param a emendo.EphemeralTurn
local function draw(a)
  if not vim.api.nvim_buf_is_loaded(a.buf) then
    return
  end
  local at = vim.api.nvim_buf_get_extmark_by_id(a.buf, ns, a.mark, { details = true })
  if #at == 0 then
    return
  elseif a.proposed then
    return vim.api.nvim_buf_del_extmark(a.buf, ns, a.mark)
  end
  vim.api.nvim_buf_set_extmark(a.buf, ns, at[1], 0, {
    id = a.mark,
    end_row = at[3].end_row,
    end_col = 0,
    strict = false,
    hl_group = 'EmendoSelection',
    hl_eol = true,
    priority = 90,
    virt_text = { { (' %s %s  :Emendo cancel'):format(spinner.frame(), a.title), 'EmendoHunk' } },
    virt_text_pos = 'eol',
  })
end

local function tick()
  local live = false
  for _, a in ipairs(running) do
    draw(a)
    live = live or not a.proposed
  end
  if not live then
    timer:stop()
  end
end

--- Marks the lines that a turn is about.
---@param a emendo.EphemeralTurn
local function begin(a)
  require('emendo.highlights')
  local last = math.min(a.last, vim.api.nvim_buf_line_count(a.buf))
  a.mark = vim.api.nvim_buf_set_extmark(a.buf, ns, a.first - 1, 0, { end_row = last, end_col = 0, strict = false })
  table.insert(running, a)
  draw(a)
  timer:start(spinner.every, spinner.every, vim.schedule_wrap(tick))
end

---@param a emendo.EphemeralTurn
local function finish(a)
  running = vim.tbl_filter(function(other)
    return other ~= a
  end, running)
  a.proposed = true
  draw(a)
  local s = a.session
  if s then
    session.all[s.id] = nil
    if session.current == s then -- one of its questions was answered
      session.show(a.shown)
    end
    if not s.stale then
      client.request('emendo/session/close', { sessionId = s.id }, function() end)
    end
  end
end

--- Returns a listener that collects the text of the last message.
---@param a emendo.EphemeralTurn
local function listen(a)
  return function(update)
    if update.sessionUpdate == '_emendo/retract' and update.messageId == a.message then
      a.answer = ''
    elseif update.sessionUpdate == 'agent_message_chunk' and vim.tbl_get(update, 'content', 'type') == 'text' then
      a.answer = (update.messageId == a.message and a.answer or '') .. update.content.text
      a.message = update.messageId
    end
  end
end

---@param a emendo.EphemeralTurn
local function prompt(a)
  local s = assert(a.session)
  context.flush()
  session.start(s, a.blocks, function(err, result)
    finish(a)
    a.done(err, result and { stop = result.stopReason, answer = a.answer, proposed = a.edited })
  end)
end

--- Runs a prompt. Several can run at the same time.
---@param options emendo.EphemeralOptions
function M.run(options)
  local a = vim.tbl_extend('force', options, { cancelled = false, proposed = false, edited = false, answer = '', shown = session.current })
  begin(a)
  client.ensure(function(err)
    if err then
      finish(a)
      return a.done({ message = err })
    end
    local current = session.current
    local params = { cwd = client.server.root, ephemeral = true, mode = a.mode, model = current and current.info.model or session.wanted.model }
    client.request('emendo/session/new', params, function(failed, result)
      if failed or a.cancelled then
        finish(a)
        return a.done(failed, not failed and { stop = 'cancelled', answer = '', proposed = false } or nil)
      end
      a.session = session.register(result.session)
      a.session.title, a.session.ephemeral, a.session.listen = a.title, true, listen(a)
      prompt(a)
    end)
  end)
end

--- Cancels the ephemeral turns of a buffer, by default of all buffers.
---@param buf? integer
---@return boolean cancelled there was one
local function cancel_in(buf)
  local any = false
  for _, a in ipairs(running) do
    if (not buf or a.buf == buf) and not a.proposed then
      any, a.cancelled = true, true
      if a.session then
        client.notify('emendo/session/cancel', { sessionId = a.session.id })
      end
    end
  end
  return any
end

--- Cancels the running edit in the current buffer, else the running turn of the session that
--- is shown, else all running edits.
function M.cancel()
  if not (cancel_in(vim.api.nvim_get_current_buf()) or session.cancel() or cancel_in()) then
    messages.info('no turn is running')
  end
end

--- Returns the running ephemeral turns, as plain values.
---@return {title: string, buf: integer, proposed: boolean}[]
function M.list()
  return vim.tbl_map(function(a)
    return { title = a.title, buf = a.buf, proposed = a.edited }
  end, running)
end

-- Once an edit is proposed, the review shows it and the turn waits for the user.
events.on('Hunks', function()
  for _, a in ipairs(running) do
    for _, h in ipairs(a.session and not a.edited and changes.pending() or {}) do
      if h.set.sessionId == a.session.id then
        a.edited, a.proposed = true, true
        draw(a)
        break
      end
    end
  end
end)

return M
