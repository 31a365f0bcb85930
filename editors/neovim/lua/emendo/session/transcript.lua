-- A session's updates as blocks of lines: a plain model of what the panel shows, without a
-- buffer. It tracks which blocks have changed; the view draws those.
--
-- A block has a head, whose lines are always shown, and a body, which is shown while the
-- block is open. Streamed text is collected in `added` until the view takes it, so that a
-- chunk costs no more than an append to a list.

---@class emendo.Mark a highlight
---@field line integer zero-based, within the head
---@field from integer byte
---@field to integer byte, or -1 for the end of the line
---@field group string

---@class emendo.Block
---@field kind 'user'|'text'|'thought'|'tool'|'plan'|'notice'|'question'|'rule'
---@field head string[]
---@field marks emendo.Mark[]
---@field body? string[] lines that fold away
---@field body_group? string how the body is highlighted
---@field open? boolean the body shows
---@field added? string[] text that the view has not taken yet
---@field held? string line ends that wait for the text after them
---@field message? string the message that the block is of
---@field tight? boolean no blank line between it and a tight block before it
---@field changed? 'text'|'all'
---@field call? table what is known of a tool call
---@field question? table the question that the block asks
---@field row? integer the view's
---@field rows? integer the view's
---@field gap? integer the view's
---@field voice? 'user'|'agent'|'question'|'info'|'warning'|'error' whose it is: the bar beside it
---@field detail? string what is said at the end of a heading
---@field fences? emendo.Fences what is known of the code in a text

---@class emendo.Transcript
---@field blocks emendo.Block[]
---@field changes emendo.Block[] those that the view has not drawn
---@field calls table<string, emendo.Block> by tool call
---@field version integer how often it was restarted
---@field on_change fun()?
local Transcript = {}
Transcript.__index = Transcript

local tool_call = require('emendo.session.tool_call')
local visible = require('emendo.text.visible')

---@return emendo.Transcript
function Transcript.new()
  return setmetatable({ blocks = {}, changes = {}, calls = {}, version = 0 }, Transcript)
end

--- Removes everything.
function Transcript:reset()
  self.blocks, self.changes, self.calls, self.plan, self.speaker = {}, {}, {}, nil, nil
  self.version = self.version + 1
  self:notify()
end

function Transcript:notify()
  if self.on_change then
    self.on_change()
  end
end

---@param block emendo.Block
---@param how 'text'|'all'
function Transcript:change(block, how)
  if not block.changed then
    self.changes[#self.changes + 1] = block
    block.changed = how
    self:notify()
  elseif how == 'all' then
    block.changed = 'all'
  end
end

local voices = { user = 'user', question = 'question' }

---@param block emendo.Block
---@param at? integer its place among the blocks; the end if not given
---@return emendo.Block
function Transcript:add(block, at)
  block.marks = block.marks or {}
  block.voice = block.voice or voices[block.kind] or 'agent'
  table.insert(self.blocks, at or #self.blocks + 1, block)
  self:change(block, 'all')
  return block
end

--- Adds a block again if it was removed.
---@param block emendo.Block
function Transcript:restore(block)
  if not vim.tbl_contains(self.blocks, block) then
    block.row, block.changed = nil, nil
    self:add(block)
  end
end

--- Adds a heading for the speaker of the following blocks, unless it is the current speaker.
---@param who string
---@param detail? string
---@return boolean new nobody, or another, spoke before
function Transcript:heading(who, detail)
  if self.speaker == who then
    return false
  end
  self.speaker = who
  local line, user = '## ' .. who, who == 'You'
  local mark = { line = 0, from = 0, to = #line, group = user and 'EmendoUserHeading' or 'EmendoHeading' }
  self:add({ kind = 'rule', head = { line }, marks = { mark }, voice = user and 'user' or 'agent', detail = detail })
  return true
end

--- Reports whether the conversation has not begun, that is, has nothing but notices.
---@return boolean
function Transcript:is_new()
  for _, block in ipairs(self.blocks) do
    if block.kind ~= 'notice' and #block.head > 0 then
      return false
    end
  end
  return true
end

--- Returns the last block if it has a kind and belongs to a message.
local function last_of(self, kind, message)
  local block = self.blocks[#self.blocks]
  return block and block.kind == kind and block.message == message and block or nil
end

--- Adds streamed text to a block, holding back line breaks at its end. Reports whether there
--- was other text.
---@param block emendo.Block
---@param text string
local function append(block, text)
  text = (block.held or '') .. text:gsub('\r', '')
  local body, ends = text:match('^(.-)(\n*)$')
  block.held = ends
  if body ~= '' then
    block.added[#block.added + 1] = body
  end
  return body ~= ''
end

--- Moves the streamed text of a block into its lines, and returns it.
---@param block emendo.Block
---@return string[] lines the first continues the last line that was there
function Transcript.take(block)
  local lines = vim.split(table.concat(block.added), '\n', { plain = true })
  block.added = {}
  local into = block.kind == 'thought' and block.body or block.head
  into[#into] = into[#into] .. lines[1]
  for i = 2, #lines do
    into[#into + 1] = lines[i]
  end
  return lines
end

local function text_chunk(self, update)
  self:heading('emendo')
  local text = update.content and update.content.text or ''
  local block = last_of(self, 'text', update.messageId)
  if not block then
    text = text:gsub('^%s*\n', '')
    if text == '' then
      return
    end
    block = self:add({ kind = 'text', head = { '' }, added = {}, message = update.messageId })
  end
  if append(block, text) then
    self:change(block, 'text')
  end
end

local function thought_head(block)
  local title = 'Thought' .. (block.subject and ': ' .. block.subject or '')
  block.head = { (block.open and '▾ ' or '▸ ') .. title }
  block.marks = { { line = 0, from = 0, to = -1, group = 'EmendoThought' } }
end

local function thought_chunk(self, update)
  self:heading('emendo')
  local text = update.content and update.content.text or ''
  local block = last_of(self, 'thought', update.messageId)
  local subject = vim.tbl_get(update, '_meta', 'emendo', 'subject')
  if not block or subject and block.subject and subject ~= block.subject then
    text = text:gsub('^%s+', '')
    block = self:add({ kind = 'thought', head = {}, body = { '' }, added = {}, message = update.messageId, body_group = 'EmendoThought', tight = true })
    thought_head(block)
  end
  if subject and subject ~= block.subject then
    block.subject = subject
    thought_head(block)
    self:change(block, 'all')
  end
  if append(block, text) then
    self:change(block, block.open and 'text' or 'all')
  end
end

--- Returns a block of the user's prompt as one or more lines.
local function prompt_lines(content)
  if content.type == 'text' then
    return vim.split(vim.trim((content.text or ''):gsub('\r', '')), '\n', { plain = true })
  elseif content.type == 'resource_link' then
    local range = vim.tbl_get(content, '_meta', 'range')
    local name = content.name or content.uri or ''
    if range then
      local first, last = range.start.line + 1, math.max(range['end'].line, range.start.line + 1)
      name = ('%s:%d-%d'):format(name, first, last)
    end
    return { '→ ' .. name }
  elseif content.type == 'resource' then
    local name, first, last = vim.tbl_get(content, 'resource', 'uri'):match('^untitled:(.-)#L(%d+)%-(%d+)$')
    return { '→ ' .. (name and ('%s:%d-%d'):format(vim.uri_decode(name), first, last) or vim.tbl_get(content, 'resource', 'uri')) }
  end
  return { ('[%s]'):format(content.type or '?') }
end

local function user_chunk(self, update)
  if not last_of(self, 'user', update.messageId) then
    self.speaker = nil -- each prompt has its own heading
  end
  self:heading('You')
  local lines = prompt_lines(update.content or {})
  local block = last_of(self, 'user', update.messageId)
  if not block then
    block = self:add({ kind = 'user', head = {}, message = update.messageId })
  end
  for _, line in ipairs(lines) do
    if vim.startswith(line, '→ ') then
      table.insert(block.marks, { line = #block.head, from = 0, to = #line, group = 'EmendoLink' })
    end
    table.insert(block.head, line)
  end
  self.plan = nil
  self:change(block, 'all')
end

--- Returns the place for the next call of an agent: below the call that started the agent
--- and the agent's other calls.
---@param parent emendo.Block
---@return integer?
local function place_below(self, parent)
  for i = #self.blocks, 1, -1 do
    local block = self.blocks[i]
    if block == parent or block.call and block.call.parent == parent.call.id then
      return i + 1
    end
  end
end

local function tool_update(self, update)
  local block = self.calls[update.toolCallId]
  if not block then
    self:heading('emendo')
    local parent = self.calls[vim.tbl_get(update, '_meta', 'emendo', 'parentToolCallId')]
    local call = { id = update.toolCallId, parent = parent and parent.call.id }
    local at = parent and place_below(self, parent)
    block = self:add({ kind = 'tool', head = {}, body = {}, body_group = 'EmendoToolDetail', tight = true, call = call }, at)
    self.calls[update.toolCallId] = block
    if parent then
      parent.call.inner = true
      tool_call.render(parent)
      self:change(parent, 'all')
    end
  end
  tool_call.merge(block.call, update)
  tool_call.render(block)
  self:change(block, 'all')
end

local plan_marks = { completed = '[x]', in_progress = '[-]', pending = '[ ]' }

local function plan_update(self, update)
  self:heading('emendo')
  if not self.plan then
    self.plan = self:add({ kind = 'plan', head = {} })
  end
  self.plan.head = {}
  for _, entry in ipairs(update.entries or {}) do
    table.insert(self.plan.head, ('- %s %s'):format(plan_marks[entry.status] or '[ ]', (entry.content or ''):gsub('\n', ' ')))
  end
  self:change(self.plan, 'all')
end

local levels = { info = 'EmendoInfo', warning = 'EmendoWarning', error = 'EmendoError' }

--- Adds a notice of one line or more.
---@param severity 'info'|'warning'|'error'
---@param title string
---@param description? string
function Transcript:notice(severity, title, description)
  local text = title .. (description and description ~= '' and '\n' .. description or '')
  local head = vim.split(vim.trim(text), '\n', { plain = true })
  head[1] = '! ' .. head[1]
  local marks = {}
  for i, line in ipairs(head) do
    marks[i] = { line = i - 1, from = 0, to = #line, group = levels[severity] or 'EmendoInfo' }
  end
  return self:add({ kind = 'notice', head = head, marks = marks, voice = levels[severity] and severity or 'info' })
end

--- Removes the text and thoughts of a message whose stream broke.
local function retract(self, update)
  for _, block in ipairs(self.blocks) do
    if block.message == update.messageId and (block.kind == 'text' or block.kind == 'thought') then
      block.head, block.marks, block.body, block.added, block.held = {}, {}, nil, {}, ''
      block.kind, block.message = 'rule', nil
      self:change(block, 'all')
    end
  end
end

local ends = {
  cancelled = 'Cancelled.',
  max_tokens = 'The answer reached its limit of length.',
  max_turn_requests = 'The turn reached its limit of model requests.',
  refusal = 'The provider stopped the answer.',
  ['_emendo/loop'] = 'The model repeated itself and was stopped.',
  ['_emendo/blocked'] = 'The provider refused the prompt.',
}

--- Returns the text that says which files the turn's accepted edits changed, and by how many
--- lines.
---@param files table[]
---@return string
local function changed(files)
  local names, added, removed = {}, 0, 0
  for i, file in ipairs(files) do
    names[i] = visible.line(vim.fn.fnamemodify(vim.uri_to_fname(file.uri), ':~:.'))
    added, removed = added + file.added, removed + file.removed
  end
  if #names > 3 then
    names = { ('%d files'):format(#names) }
  end
  return ('Changed %s (+%d -%d).'):format(table.concat(names, ', '), added, removed)
end

local function turn_ended(self, update)
  local said = ends[update.stopReason]
  if said then
    self:notice(update.stopReason == 'cancelled' and 'info' or 'warning', said)
  end
  if #(update.files or {}) > 0 then
    self:notice('info', changed(update.files))
  end
end

local kinds = {
  user_message_chunk = user_chunk,
  agent_message_chunk = text_chunk,
  agent_thought_chunk = thought_chunk,
  tool_call = tool_update,
  tool_call_update = tool_update,
  plan = plan_update,
  notice = function(self, update)
    local title, description = update.title or '', update.description
    if description and vim.tbl_get(update, '_meta', 'emendo', 'code') == 'model' then
      if self:heading('emendo', visible.line(description)) then
        return
      end
      title, description = title .. ': ' .. description, nil -- the model changed in mid-answer
    end
    self:notice(update.severity, title, description)
  end,
  compaction_update = function(self, update)
    if update.status == 'completed' then
      self:notice('info', 'The history was shortened.')
    end
  end,
  ['_emendo/retract'] = retract,
  ['_emendo/turn_ended'] = turn_ended,
}

--- Applies an update of the session.
---@param update table ACP's SessionUpdate or one of emendo's own
function Transcript:apply(update)
  local take = kinds[update.sessionUpdate]
  if take then
    take(self, update)
  end
end

--- Marks unfinished calls as interrupted, since their turn ended with its server.
function Transcript:interrupt_calls()
  for _, block in pairs(self.calls) do
    if not tool_call.ended(block.call) then
      block.call.state, block.call.summary = 'cancelled', 'interrupted'
      tool_call.render(block)
      self:change(block, 'all')
    end
  end
end

--- Opens or closes the body of a block.
---@param block emendo.Block
---@param open boolean
function Transcript:set_open(block, open)
  if not block.body or #block.body == 0 or (block.open or false) == open then
    return
  end
  block.open = open
  if block.kind == 'thought' then
    thought_head(block)
  else
    tool_call.render(block)
  end
  self:change(block, 'all')
end

return Transcript
