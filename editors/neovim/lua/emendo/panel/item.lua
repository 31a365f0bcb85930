-- How an item of a conversation is drawn: as a block of lines, without a buffer. Its head is
-- always shown, its body while the block is open.
local form = require('emendo.session.form')
local keys = require('emendo.keys')
local questions = require('emendo.session.questions')
local View = require('emendo.session.view')
local visible = require('emendo.text.visible')
local words = require('emendo.words')

local M = {}

---@class emendo.Mark a highlight
---@field line integer zero-based; those of the body come after those of the head
---@field from integer byte
---@field to integer byte
---@field group string

---@class emendo.Target what <CR> on a line does: one of these
---@field place? table
---@field action? table of the item
---@field answer? table to the question
---@field image? table a part of the item

---@class emendo.Block
---@field id string of what it draws
---@field item? emendo.Item
---@field question? table
---@field head string[]
---@field body? string[] lines that fold away
---@field marks emendo.Mark[]
---@field targets table<integer, emendo.Target> by line, as marks have it
---@field open? boolean the body shows
---@field tight? boolean no blank line between it and a tight block before it
---@field voice? 'user'|'agent'|'question'|'info'|'warning'|'error' whose it is: the bar beside it
---@field grows? 'head'|'body' where streamed text is added
---@field added? string[] text that the view has not taken yet
---@field held? string line ends that wait for the text after them
---@field heading? string who speaks from here on
---@field mark? integer the view's extmark at its first line
---@field rows? integer the view's
---@field lead? integer the view's: lines before the head
---@field gap? integer the view's: the blank ones of them
---@field parsed? integer the next line whose Markdown is not highlighted
---@field fences? emendo.Fences what is known of the code in a text

-- How many of the last lines of a running call's output are shown.
local live_lines = 5

--- The width of a line in the panel, in columns.
M.columns = 60

---@type table<string, {mark: string, group: string}>
local states = {
  waiting = { mark = '○', group = 'EmendoToolPending' },
  asks = { mark = '?', group = 'EmendoToolWaiting' },
  running = { mark = '●', group = 'EmendoToolRunning' },
  done = { mark = '✓', group = 'EmendoToolDone' },
  failed = { mark = '✗', group = 'EmendoToolFailed' },
}
local stopped = { mark = '⊘', group = 'EmendoToolFailed' }
local severities = { info = 'EmendoInfo', warning = 'EmendoWarning', error = 'EmendoError' }
local rows = { ['-'] = 'EmendoDelete', ['+'] = 'EmendoAdd' }

--- Adds a line to the body of a block, or to its head as long as it has no body.
---@param group? string
---@param target? emendo.Target
local function add(block, text, group, target)
  local line = #block.head + #(block.body or {})
  if group then
    table.insert(block.marks, { line = line, from = 0, to = #text, group = group })
  end
  block.targets[line] = target
  table.insert(block.body or block.head, text)
end

--- Returns a label before a text.
local function labelled(line)
  local label = line.label and line.label.text .. ': ' or ''
  return label .. line.text.text
end

--- Adds a line of an item: a place to go to with an arrow before it.
---@param line table
---@param group? string unless it is a place
local function add_line(block, indent, line, group)
  local place = line.place and { place = line.place }
  for i, text in ipairs(vim.split(labelled(line), '\n', { plain = true })) do
    add(block, indent .. (i == 1 and place and '→ ' or '') .. text, place and 'EmendoLink' or group, place)
  end
end

--- Adds the content of a part: code in colours, a diff in the colours of hunks.
---@param group? string
function M.add_part(block, part, indent, group)
  if part.kind == 'image' then
    local name = part.label and part.label.text or part.mimeType or ''
    return add(block, ('%s[%s]'):format(indent, visible.line(name)), group or 'EmendoLink', { image = part })
  end
  for _, row in ipairs(part.rows or {}) do
    add(block, indent .. row[1] .. ' ' .. visible.text(row[2]), rows[row[1]] or group)
  end
  local text = View.text(part):gsub('\r', ''):gsub('\n+$', '')
  if text == '' then
    return
  end
  local lines = visible.lines(text)
  local syntax = part.kind == 'code' and require('emendo.text.syntax')
  local spans = syntax and syntax.spans(syntax.language(part.lang or ''), lines) or {}
  if (part.omitted or 0) > 0 and part.kind == 'output' then
    add(block, indent .. '…', group)
  end
  for i, line in ipairs(lines) do
    add(block, indent .. line, group)
    for _, span in ipairs(spans[i] or {}) do
      table.insert(block.marks, { line = #block.head + #(block.body or {}) - 1, from = span.from + #indent, to = span.to + #indent, group = span.group })
    end
  end
  if (part.omitted or 0) > 0 and part.kind ~= 'output' then
    add(block, indent .. '…', group)
  end
end

--- Reports whether content of an item was not sent.
function M.lacks_content(item)
  return vim.iter(item.parts or {}):any(function(part)
    return part.kind ~= 'image' and (part.size or 0) > 0 and not part.text and not part.rows
  end)
end

local draw = {} ---@type table<string, fun(block: emendo.Block, item: emendo.Item)> by kind

function draw.user(block, item)
  block.voice = 'user'
  for _, part in ipairs(item.parts or {}) do
    if part.kind == 'image' then
      M.add_part(block, part, '')
    else
      for _, line in ipairs(visible.lines((View.text(part):gsub('\r', '')))) do
        add(block, line)
      end
    end
  end
  for _, line in ipairs(item.lines or {}) do
    add(block, '→ ' .. line.text.text, 'EmendoLink', line.place and { place = line.place })
  end
end

--- Adds streamed text to a block, holding back line breaks at its end.
function M.append(block, text)
  text = (block.held or '') .. visible.prose((text:gsub('\r', '')))
  local into = block[block.grows]
  if #block.added == 0 and #into == 1 and into[1] == '' then
    text = text:gsub('^%s*\n', '')
  end
  local body, ends = text:match('^(.-)(\n*)$')
  block.held = ends
  if body ~= '' then
    block.added[#block.added + 1] = body
  end
end

--- Moves the streamed text of a block into its lines, and returns it.
---@return string[] lines the first continues the last line that was there
function M.take(block)
  local lines = vim.split(table.concat(block.added), '\n', { plain = true })
  block.added = {}
  local into = block[block.grows]
  into[#into] = into[#into] .. lines[1]
  vim.list_extend(into, lines, 2)
  return lines
end

--- Begins the text of a part that may grow.
local function begin(block, grows, part)
  block.grows, block.added, block.held = grows, {}, ''
  block[grows] = { '' }
  M.append(block, View.text(part or {}))
  M.take(block)
end

function draw.answer(block, item)
  for i, part in ipairs(item.parts or {}) do
    if i == 1 then
      begin(block, 'head', part)
    else
      M.add_part(block, part, '')
    end
  end
  block.hidden = #block.head == 1 and block.head[1] == ''
end

function draw.thought(block, item)
  block.tight = true
  add(block, (block.open and '▾ ' or '▸ ') .. item.title.text, 'EmendoThought')
  begin(block, 'body', item.parts and item.parts[1])
  block.body_group = 'EmendoThought'
end

--- Returns a title and a note, cut to fit into `room` columns together.
local function fitted(title, note, room)
  local shorter, wide = visible.shortened, vim.fn.strdisplaywidth(note)
  if note ~= '' and wide + 2 <= 0.4 * room then
    return shorter(title, room - wide - 2), note
  end
  title = shorter(title, math.max(room - wide - 2, math.floor(0.7 * room)))
  local left = room - vim.fn.strdisplaywidth(title) - 2
  return title, left >= 4 and shorter(note, left) or ''
end

--- A call is a line that shows its state, with its content folded. While it runs, the end of
--- its output is shown below, unless the calls of the agent that it started are.
function draw.call(block, item, view)
  block.tight, block.body_group = true, 'EmendoToolDetail'
  local parent = view.items[item.parent or '']
  local inner = parent and parent.kind == 'call'
  local indent = inner and '      ' or '    '
  local state = states[item.state] or stopped
  local title, note = item.title.text, item.note and item.note.text or ''
  local whole = title
  if not block.open then
    title, note = fitted(title, note, M.columns - (inner and 8 or 6))
  end
  local has = #(item.parts or {}) > 0 or #(item.lines or {}) > 0 or title ~= whole
  local line = ''
  local function put(text, group)
    table.insert(block.marks, { line = 0, from = #line, to = #line + #text, group = group })
    line = line .. text
  end
  put(inner and '  ' or '', state.group)
  put(state.mark, state.group)
  put(' ' .. title, 'EmendoTool')
  local noted = item.state == 'asks' and 'EmendoToolWaiting' or (item.state == 'failed' or item.state == 'denied') and 'EmendoToolFailed' or 'EmendoToolDetail'
  put(note ~= '' and '  ' .. note or '', noted)
  if has then
    put((note ~= '' and ' · ' or '  ') .. (block.open and '▾' or '▸'), 'EmendoToolDetail')
  end
  block.head = { line }
  local last = item.parts and item.parts[#item.parts]
  if not block.open and item.state == 'running' and last and last.kind == 'output' and not view.below[item.id] then
    local lines = visible.lines((View.text(last):gsub('\r', '')))
    for _, text in ipairs(vim.list_slice(lines, math.max(1, #lines - live_lines + 1))) do
      add(block, indent .. text, 'EmendoToolDetail')
    end
  end
  if not has then
    return
  end
  block.body = {}
  if not block.open then
    return -- drawn when it is opened
  end
  for _, fact in ipairs(item.lines or {}) do
    add_line(block, indent, fact, 'EmendoToolDetail')
  end
  for _, part in ipairs(item.parts or {}) do
    if part.label then
      add(block, indent .. part.label.text, 'EmendoToolDetail')
    end
    M.add_part(block, part, indent, 'EmendoToolDetail')
  end
  if M.lacks_content(item) then
    add(block, indent .. '…', 'EmendoToolDetail')
  end
end

local tasks = { done = '[x]', running = '[-]' }

function draw.plan(block, item)
  add(block, item.title.text, 'EmendoToolDetail')
  for _, line in ipairs(item.lines or {}) do
    add(block, ('- %s %s'):format(tasks[line.state] or '[ ]', line.text.text))
  end
end

--- Adds the actions of an item as lines, by the titles that they have in the view.
local function add_actions(block, item, view)
  for _, action in ipairs(view:actions(item)) do
    add(block, '  ▸ ' .. action.title.text, 'EmendoLink', { action = action })
  end
end

function draw.notice(block, item, view)
  local group = severities[item.look] or 'EmendoInfo'
  block.voice = severities[item.look] and item.look or 'info'
  local title, parts = '! ' .. item.title.text .. (item.note and '  ' .. item.note.text or ''), item.parts or {}
  local more = #parts == 1 and parts[1].text or ''
  if more ~= '' and not more:find('\n') and vim.fn.strdisplaywidth(title .. more) + 2 <= M.columns - 2 then
    title, parts = title .. '  ' .. more, {} -- both in one line
  end
  for _, line in ipairs(vim.split(title, '\n', { plain = true })) do
    add(block, line, group)
  end
  for _, part in ipairs(parts) do
    M.add_part(block, part, '', group)
  end
  for _, line in ipairs(item.lines or {}) do
    add_line(block, '  ', line, group)
  end
  add_actions(block, item, view)
end

local outcomes = { failed = 'error', cancelled = 'info', done = 'warning' }

--- A turn has, at its end, why it ended unless that is plain, which files it changed, and what
--- ran unasked. Its other facts stand beside its heading.
function draw.turn(block, item)
  if item.state == 'running' or item.state == 'asks' or item.state == 'waiting' then
    return
  end
  block.voice = item.title.code ~= 'turn.done' and (outcomes[item.state] or 'warning') or 'info'
  if item.title.code ~= 'turn.done' then
    add(block, '! ' .. item.title.text, severities[block.voice])
  end
  local unasked = {}
  for _, line in ipairs(item.lines or {}) do
    if line.id == 'file' then
      add(block, '→ ' .. line.text.text, 'EmendoLink', line.place and { place = line.place })
    elseif line.id == 'unasked' then
      unasked[#unasked + 1] = line
    end
  end
  if unasked[1] then
    add(block, (block.open and '▾ ' or '▸ ') .. unasked[1].label.text, 'EmendoToolDetail')
    block.body = {}
    for _, line in ipairs(unasked) do
      add(block, '    ' .. line.text.text, 'EmendoToolDetail')
    end
  end
end

--- Returns what stands beside the heading of a turn, as far as there is room.
---@param turn emendo.Item
function M.facts(turn)
  local facts = ''
  for _, id in ipairs({ 'model', 'time', 'cost', 'tokens' }) do
    for _, line in ipairs(turn.lines or {}) do
      local more = facts .. (facts ~= '' and ' · ' or '') .. (line.text.short or line.text.text)
      if line.id == id and vim.fn.strdisplaywidth(more) <= M.columns - #'emendo · ' - 1 then
        facts = more
      end
    end
  end
  return facts
end

--- The welcome of an empty panel: what stands in the way, what to ask, what emendo sees, and the
--- user's keys.
function draw.welcome(block, item, view)
  block.voice = nil
  local function heading(text)
    if #block.head > 0 then
      add(block, '')
    end
    add(block, text, 'EmendoHeading')
  end
  for _, notice in ipairs(item.notices) do
    add(block, '✗ ' .. notice.title.text, severities[notice.look])
    for _, part in ipairs(notice.parts or {}) do
      M.add_part(block, part, '  ')
    end
    add_actions(block, notice, view)
  end
  heading(item.title.text)
  for _, line in ipairs(item.lines) do
    if line.id == 'suggestion' then
      add(block, '  ▸ ' .. line.text.text, 'EmendoLink', { action = line.action })
    end
  end
  heading(words.sees)
  for _, line in ipairs(item.lines) do
    if line.id ~= 'suggestion' then
      add(block, '  ' .. labelled(line), line.look == 'warning' and 'EmendoWarning' or nil)
    end
  end
  heading(words.keys)
  for _, key in ipairs({
    { keys.inside('prompt', 'send') or words.send, 'send' },
    { '@ /', 'name' },
    { keys.of('ask'), 'ask' },
    { keys.of('next') .. ' ' .. keys.of('prev'), 'next' },
    { keys.of('accept') .. ' ' .. keys.of('reject'), 'decide' },
    { keys.of('toggle'), 'toggle' },
    { ':help emendo', 'help' },
  }) do
    add(block, '  ' .. key[1] .. ' ' .. words.key[key[2]])
    table.insert(block.marks, { line = #block.head - 1, from = 2, to = 2 + #key[1], group = 'EmendoKey' })
  end
end

--- Draws a question, with all that is to be known before it is answered.
local function draw_question(block, q)
  block.voice, block.tight = 'question', true
  add(block, '? ' .. (q.from and q.from.text .. ': ' or '') .. q.title.text, 'EmendoQuestion')
  for i, part in ipairs(q.parts) do
    if part.label and i > 1 then
      add(block, '  ' .. part.label.text .. ':')
    end
    M.add_part(block, part, '    ')
  end
  for _, line in ipairs(q.lines) do
    add_line(block, '  ', line, (line.look == 'warning' or line.look == 'deny') and 'EmendoWarning' or nil)
  end
  for _, field in ipairs(q.fields or {}) do
    local header = #q.fields > 1 and field.label.short
    for i, text in ipairs(vim.split(field.label.text, '\n', { plain = true })) do
      add(block, '  ' .. (i == 1 and header and header .. ': ' or '') .. text)
    end
    if field.hint then
      add(block, ('    (%s)'):format(field.hint.text), 'EmendoHunk')
    end
    for _, choice in ipairs((#q.fields > 1 or field.many) and field.choices or {}) do
      add(block, '    - ' .. form.option(choice))
    end
  end
  for i, answer in ipairs(questions.answers(q)) do
    add(block, ('  %d. %s'):format(i, answer.text), 'EmendoOption', { answer = answer })
    table.insert(block.marks, { line = #block.head - 1, from = 2, to = 3 + #tostring(i), group = 'EmendoKey' })
  end
  add(block, '  ' .. words.answers, 'EmendoHunk')
end

--- Renders what a block draws. An empty head: nothing is drawn.
function M.render(block, view)
  block.head, block.body, block.body_group, block.marks, block.targets, block.grows, block.hidden = {}, nil, nil, {}, {}, nil, nil
  block.voice = 'agent'
  if block.question then
    draw_question(block, block.question)
  elseif block.item.kind ~= 'queued' then -- which is above the prompt; a newer server may know other kinds
    (draw[block.item.kind] or draw.notice)(block, block.item, view)
  end
  for _, lines in ipairs({ block.head, block.body or {} }) do
    for i, line in ipairs(lines) do
      if line:find('\n', 1, true) then
        lines[i] = visible.line(line)
      end
    end
  end
end

--- Returns the lines of a block to show.
function M.lines(block)
  local lines = block.gap == 1 and { '' } or {}
  lines[#lines + 1] = block.heading and '## ' .. block.heading or nil
  vim.list_extend(lines, block.head)
  if block.open then
    vim.list_extend(lines, block.body or {})
  end
  return lines
end

return M
