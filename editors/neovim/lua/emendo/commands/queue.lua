-- The queued questions. They are shown above the prompt; a menu edits them, sends them at
-- once or removes them. The server stores them.
local client = require('emendo.server.client')
local session = require('emendo.session')
local messages = require('emendo.messages')
local visible = require('emendo.text.visible')

local M = {}

---@class emendo.Queued
---@field turnId string
---@field messageId string
---@field how 'steer'|'queue'|'interrupt'
---@field prompt table[] ContentBlocks

--- Returns the text of a queued question.
---@param item emendo.Queued
---@return string
function M.text(item)
  for _, block in ipairs(item.prompt) do
    if block.type == 'text' then
      return block.text or ''
    end
  end
  return ''
end

local function line_of(item)
  return visible.line((M.text(item):gsub('%s+', ' ')))
end

--- Returns the queue of the session that is shown, and whether it is paused.
---@return emendo.Queued[]
---@return boolean paused
function M.items()
  local q = session.current and session.current.queue
  return q and q.items or {}, q ~= nil and q.paused == true
end

--- Returns the description of the queue that is shown above the prompt. Empty if the queue is.
---@return string
function M.brief()
  local items, paused = M.items()
  if #items == 0 then
    return ''
  end
  return ('%d %s: %s'):format(#items, paused and 'paused' or 'queued', line_of(items[1]))
end

--- Changes a queued question, or resumes the queue.
---@param change table
---@param done? fun()
local function edit(change, done)
  local s = assert(session.current)
  change.sessionId = s.id
  client.request('emendo/session/editQueue', change, function(err)
    if err then
      messages.error(err.message)
    elseif done then
      done()
    end
  end)
end

---@param item emendo.Queued
local function of(item, change)
  return vim.tbl_extend('force', { turnId = item.turnId, messageId = item.messageId }, change)
end

--- Opens a question in a buffer for the user to edit. Writing it changes the queued question,
--- or removes it if the text is blank.
---@param item emendo.Queued
local function edit_text(item)
  require('emendo.review.preview').text('emendo://queued/' .. item.messageId, M.text(item), ':w puts the question back into the queue, :q leaves it as it was', function(text)
    if vim.trim(text) == '' then
      return edit(of(item, { remove = true }))
    end
    local prompt, put = {}, false
    for _, block in ipairs(item.prompt) do
      if block.type == 'text' and not put then
        block, put = { type = 'text', text = text }, true
      end
      prompt[#prompt + 1] = block
    end
    edit(of(item, { prompt = prompt }))
  end)
end

--- Removes a question from the queue and sends it in another way.
---@param item emendo.Queued
---@param how 'steer'|'interrupt'
local function send(item, how)
  edit(of(item, { remove = true }), function()
    session.inject(session.current, item.prompt, how)
  end)
end

local actions = {
  { name = 'Edit it', run = edit_text },
  {
    name = 'Send it to the running turn',
    unless = 'steer',
    run = function(item)
      send(item, 'steer')
    end,
  },
  {
    name = 'Cancel the running turn and send it',
    run = function(item)
      send(item, 'interrupt')
    end,
  },
  {
    name = 'Move it to the front',
    unless = 'steer',
    run = function(item)
      edit(of(item, { position = 0 }))
    end,
  },
  {
    name = 'Remove it',
    run = function(item)
      edit(of(item, { remove = true }))
    end,
  },
}

local function act(item)
  local list = vim.tbl_filter(function(a)
    return a.unless ~= item.how
  end, actions)
  vim.ui.select(list, {
    prompt = require('emendo.status').row('emendo: ' .. M.text(item)),
    kind = 'emendo.queued',
    format_item = function(a)
      return a.name
    end,
  }, function(a)
    if a then
      a.run(item)
    end
  end)
end

--- Lists the queued questions and shows the menu for the chosen one. A paused queue can be
--- resumed here.
function M.select()
  local items, paused = M.items()
  if #items == 0 then
    return messages.info('no question is queued')
  end
  local list = vim.list_extend({}, items)
  if paused then
    table.insert(list, 1, { resume = true })
  end
  vim.ui.select(list, {
    prompt = 'emendo: ' .. (paused and 'the queue is paused' or 'queued'),
    kind = 'emendo.queue',
    format_item = function(item)
      return item.resume and 'Resume the queue' or require('emendo.status').row((item.how == 'steer' and 'for this turn: ' or '') .. M.text(item))
    end,
  }, function(item)
    if item and item.resume then
      edit({ resume = true })
    elseif item then
      act(item)
    end
  end)
end

return M
