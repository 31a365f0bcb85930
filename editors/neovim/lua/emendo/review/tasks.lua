-- What runs beside the conversations, such as an edit in place: a spinner at the lines that it
-- is about, and what has to be read of it in the end.
local act = require('emendo.session.act')
local buffers = require('emendo.server.buffers')
local events = require('emendo.events')
local messages = require('emendo.messages')
local paths = require('emendo.server.paths')
local session = require('emendo.session')
local spinner = require('emendo.text.spinner')
local View = require('emendo.session.view')
local window = require('emendo.session.window')
local words = require('emendo.words')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.tasks')

local drawn = {} ---@type table<string, {buf: integer, mark: integer}> by the id of the item
local timer = assert(vim.uv.new_timer())

--- Returns the buffer that a task is about; the current one if it is about none that is open.
local function buffer_of(item)
  local uri = item.place and item.place.uri or ''
  return vim.startswith(uri, 'file:') and buffers.of_path(paths.of_uri(uri)) or vim.api.nvim_get_current_buf()
end

--- Draws the spinner of a task.
local function draw(item)
  local d, row, last = drawn[item.id], nil, nil
  if not d then
    require('emendo.highlights')
    local range = item.place and item.place.range or { start = { line = 0 }, ['end'] = { line = 1 } }
    d = { buf = buffer_of(item) }
    last = math.min(math.max(range['end'].line, range.start.line + 1), vim.api.nvim_buf_line_count(d.buf))
    row, drawn[item.id] = math.min(range.start.line, last - 1), d
  elseif vim.api.nvim_buf_is_loaded(d.buf) then
    local at = vim.api.nvim_buf_get_extmark_by_id(d.buf, ns, d.mark, { details = true })
    row, last = at[1], at[3] and at[3].end_row
  end
  if row then
    d.mark = vim.api.nvim_buf_set_extmark(d.buf, ns, row, 0, {
      id = d.mark,
      end_row = last,
      strict = false,
      hl_group = 'EmendoSelection',
      hl_eol = true,
      priority = 90,
      virt_text = { { (' %s %s  :Emendo cancel'):format(spinner.frame(), item.note and item.note.text or item.title.text), 'EmendoHunk' } },
      virt_text_pos = 'eol',
    })
  end
end

--- Returns the tasks whose spinner is drawn.
local function running()
  return vim.tbl_filter(function(item)
    return item.state == 'running' and not vim.iter(window.view:actions(item)):any(function(action)
      return action.id == 'show' -- the panel shows its conversation
    end)
  end, window.view:of('task'))
end

--- Says what a task that is over has come to, and has it dismissed.
local function report(item)
  local answer = item.parts and vim.trim(View.text(item.parts[1])) or ''
  local text = (item.note or item.title).text .. (answer ~= '' and ' ' .. answer or '')
  if item.state == 'failed' then
    messages.error(text)
  else
    messages.info(text)
  end
  act.run({ view = window.view, id = item.id }, { id = 'dismiss' })
end

local reported = {} ---@type table<string, boolean>

local function update()
  local live = {}
  for _, item in ipairs(running()) do
    live[item.id] = true
    draw(item)
  end
  for id, d in pairs(drawn) do
    if not live[id] then
      drawn[id] = nil
      if vim.api.nvim_buf_is_valid(d.buf) then
        vim.api.nvim_buf_del_extmark(d.buf, ns, d.mark)
      end
    end
  end
  for _, item in ipairs(window.view:of('task')) do
    if (item.state == 'done' or item.state == 'failed') and not reported[item.id] then
      reported[item.id] = true
      report(item)
    end
  end
  if next(live) and not timer:is_active() then
    timer:start(spinner.every, spinner.every, vim.schedule_wrap(update))
  elseif not next(live) then
    timer:stop()
  end
end

events.on('window', update)

--- Stops the tasks of a buffer, by default of all buffers.
---@param buf? integer
---@return boolean stopped there was one
local function stop_in(buf)
  local any = false
  for _, item in ipairs(running()) do
    if not buf or drawn[item.id] and drawn[item.id].buf == buf then
      any = true
      act.run({ view = window.view, id = item.id }, { id = 'stop' })
    end
  end
  return any
end

--- Cancels the running edit in the current buffer, else the running turn of the session that
--- is shown, else all running edits.
function M.cancel()
  if not (stop_in(vim.api.nvim_get_current_buf()) or session.cancel() or stop_in()) then
    messages.info(words.nothing_runs)
  end
end

return M
