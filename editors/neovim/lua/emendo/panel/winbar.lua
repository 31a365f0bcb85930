-- The panel's winbar: a spinner and the time of the running turn, the session's
-- title, the pending hunks, mode, model, tokens, and how full the context is.
-- The user's status line is not changed.
local changes = require('emendo.review.changes')
local client = require('emendo.server.client')
local events = require('emendo.events')
local layout = require('emendo.windows.layout')
local plural = require('emendo.text.plural')
local questions = require('emendo.session.questions')
local session = require('emendo.session')
local spinner = require('emendo.text.spinner')
local status_line = require('emendo.panel.status_line')
local visible = require('emendo.text.visible')

local M = {}

local gauge = { '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█' }
-- The context is highlighted when it is this full, in percent.
local nearly_full = 80

local began = {} ---@type table<string, integer> when the running turn of a session began, in ms
local timer = assert(vim.uv.new_timer())

--- Formats a number of tokens in a few characters.
---@param n integer
---@return string
local function count(n)
  if n < 1000 then
    return tostring(n)
  elseif n < 100000 then
    return (('%.1fk'):format(n / 1000):gsub('%.0k', 'k'))
  elseif n < 1000000 then
    return ('%dk'):format(math.floor(n / 1000 + 0.5))
  end
  return ('%.1fM'):format(n / 1000000)
end

--- Formats a duration in a few characters.
---@param ms integer
---@return string
local function span(ms)
  local s = math.floor(ms / 1000)
  return s < 60 and ('%ds'):format(s) or ('%d:%02d'):format(math.floor(s / 60), s % 60)
end

---@param s emendo.Session
---@return emendo.Piece[]
local function activity(s)
  if questions.asks(s.id) then
    return { { text = '? asks you', group = 'EmendoLineWarn', weight = 1 } }
  elseif not s.running then
    return {}
  end
  local time = began[s.id] and ' ' .. span(vim.uv.now() - began[s.id]) or ''
  return { { text = spinner.frame() .. time, group = 'EmendoLineBusy', weight = 1 } }
end

local modes = { auto_edit = 'EmendoLineBusy', plan = 'EmendoLineBusy', yolo = 'EmendoLineWarn' }

---@param s emendo.Session
---@return emendo.Piece[]
local function state(s)
  local pieces = {}
  local function add(text, group, weight)
    pieces[#pieces + 1] = { text = text, group = group, weight = weight }
  end
  local pending = changes.count()
  if pending > 0 then
    add(plural(pending, 'hunk'), 'EmendoLineHunks', 2)
  end
  local mode = s.info.mode
  if mode then
    add(mode, modes[mode] or 'EmendoLineDim', modes[mode] and 3 or 7)
  end
  if s.info.model then
    add(visible.line(vim.fs.basename(s.info.model)), 'EmendoLineDim', 6)
  end
  local usage = s.usage
  if usage and (usage.inputTokens or 0) > 0 then
    add(('↑%s ↓%s'):format(count(usage.inputTokens), count((usage.outputTokens or 0) + (usage.thoughtTokens or 0))), 'EmendoLineDim', 8)
  end
  local full = s.context and (s.context.size or 0) > 0 and 100 * s.context.used / s.context.size or 0
  if full >= 1 then
    local level = gauge[math.max(1, math.min(#gauge, math.ceil(full / 100 * #gauge)))]
    add(('%s %d%%'):format(level, math.floor(full + 0.5)), full >= nearly_full and 'EmendoLineWarn' or 'EmendoLineDim', full >= nearly_full and 2 or 4)
  end
  return pieces
end

-- The title gets at least this many columns before less important pieces are shown.
local title_room = 16

--- Returns the line above the panel.
---@return string
function M.winbar()
  local room = vim.api.nvim_win_get_width(vim.g.statusline_winid or 0) - 1
  local s = session.current
  if not s then
    return '%#EmendoLineTitle# emendo%#EmendoLine#'
  end
  local shorter = visible.shortened
  local whole = visible.line(((s.title and s.title ~= '' and s.title or 'new session'):gsub('%s+', ' ')))
  local title = { text = shorter(whole, title_room), group = 'EmendoLineTitle', weight = 5 }
  local left = activity(s)
  table.insert(left, title)
  local pieces, rest = status_line.fit(vim.list_extend(vim.list_extend({}, left), state(s)), room, 3)
  title.text = shorter(whole, vim.fn.strdisplaywidth(title.text) + math.max(0, rest))
  local shown, right = {}, {}
  for _, piece in ipairs(pieces) do
    table.insert(vim.tbl_contains(left, piece) and shown or right, piece)
  end
  return '%#EmendoLine# ' .. status_line.render(shown) .. '%=' .. status_line.render(right, '%#EmendoLineDim# · ')
end

--- Returns the line below the panel, if windows have their own status line: the folder
--- of the server, and whether it is restricted.
---@return string
function M.statusline()
  local server = client.server
  local pieces = { { text = 'emendo', group = 'EmendoLineTitle', weight = 1 } }
  local room = vim.api.nvim_win_get_width(vim.g.statusline_winid or 0) - 1
  local restricted = server.status and server.status.kind == 'restricted' and 'restricted' or nil
  if server.root then
    local folder = visible.line(vim.fn.fnamemodify(server.root, ':~'))
    if vim.fn.strdisplaywidth(folder) + #'emendo ' + #(restricted or '') + 2 > room then
      folder = '…/' .. visible.line(vim.fs.basename(server.root))
    end
    pieces[2] = { text = folder, group = 'EmendoLineDim', weight = 3 }
  end
  if restricted then
    pieces[#pieces + 1] = { text = restricted, group = 'EmendoLineWarn', weight = 2 }
  end
  return '%#EmendoLine# ' .. status_line.render((status_line.fit(pieces, room)))
end

--- Reports whether the spinner should run: the panel is open, and a turn is running
--- without an open question.
local function should_spin()
  local s = session.current
  return s ~= nil and s.running and layout.pair() ~= nil and not questions.asks(s.id)
end

--- Redraws the line above the panel.
local function redraw()
  local pair = layout.pair()
  if not pair or vim.api.nvim_get_mode().mode:match('^[rc]') then
    return -- Neovim itself shows a prompt
  elseif vim.api.nvim__redraw then
    pcall(vim.api.nvim__redraw, { win = pair.panel, winbar = true })
  else
    vim.cmd.redrawstatus({ bang = true })
  end
end

local function tick()
  if should_spin() then
    return redraw()
  end
  timer:stop()
  redraw()
end

--- Reports whether the spinner is running.
---@return boolean
function M.is_spinning()
  return timer:is_active()
end

--- Starts the spinner if a turn is running; it stops by itself.
function M.update()
  if should_spin() and not timer:is_active() then
    timer:start(spinner.every, spinner.every, vim.schedule_wrap(tick))
  end
end

events.on('Turn', function(turn)
  began[turn.session] = turn.running and vim.uv.now() or nil
  M.update()
end)
events.on({ 'Question', 'Session' }, M.update)
vim.api.nvim_create_autocmd({ 'TabEnter', 'WinNew' }, {
  group = vim.api.nvim_create_augroup('emendo.bar', {}),
  callback = function()
    vim.schedule(M.update)
  end,
})

return M
