-- Lists the queued questions, and edits them, sends them at once or removes them.
local client = require('emendo.server.client')
local messages = require('emendo.messages')
local preview = require('emendo.review.preview')
local prompt = require('emendo.panel.prompt')
local queue = require('emendo.session.queue')
local session = require('emendo.session')
local visible = require('emendo.text.visible')

local M = {}

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
  preview.text('emendo://queued/' .. item.messageId, queue.text(item), ':w puts the question back into the queue, :q leaves it as it was', function(text)
    if vim.trim(text) == '' then
      return edit(of(item, { remove = true }))
    end
    local blocks, put = {}, false
    for _, block in ipairs(item.prompt) do
      if block.type == 'text' and not put then
        block, put = { type = 'text', text = text }, true
      end
      blocks[#blocks + 1] = block
    end
    edit(of(item, { prompt = blocks }))
  end)
end

--- Removes a question from the queue and sends it in another way.
---@param item emendo.Queued
---@param how 'steer'|'interrupt'
local function send(item, how)
  edit(of(item, { remove = true }), function()
    session.inject(session.current, item.prompt, how, function(err)
      if err then
        prompt.put(queue.text(item))
      end
    end)
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
    prompt = visible.row('emendo: ' .. queue.text(item)),
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
  local items, paused = queue.items()
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
      return item.resume and 'Resume the queue' or visible.row((item.how == 'steer' and 'for this turn: ' or '') .. queue.text(item))
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
