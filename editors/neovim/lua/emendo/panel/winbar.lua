-- The panel's winbar: a spinner and the time of the running turn, the session's title, and how
-- the session stands. The user's status line is not changed.
local client = require('emendo.server.client')
local events = require('emendo.events')
local layout = require('emendo.windows.layout')
local questions = require('emendo.session.questions')
local session = require('emendo.session')
local spinner = require('emendo.text.spinner')
local status_line = require('emendo.panel.status_line')
local time = require('emendo.text.time')
local visible = require('emendo.text.visible')
local window = require('emendo.session.window')

local M = {}

local gauge = { '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█' }

local timer = assert(vim.uv.new_timer())

--- Formats the time since the server's clock showed `at`.
local function since(at)
  local gone = time.since(at)
  return gone < 60 and ('%ds'):format(gone) or ('%d:%02d'):format(math.floor(gone / 60), gone % 60)
end

local function activity(s)
  local status = s.view.status
  if questions.asks(s.id) then
    return { { text = '?', group = 'EmendoLineWarn', weight = 1 } }
  elseif status and status.state == 'waiting' then
    return { { text = '○ ' .. visible.line(status.title.text), group = 'EmendoLineWarn', weight = 1 } }
  elseif not s.running then
    return {}
  end
  return { { text = spinner.frame() .. (status and status.at and ' ' .. since(status.at) or ''), group = 'EmendoLineBusy', weight = 1 } }
end

-- The lines of a status that are shown, and how soon one goes where there is no room.
local weights = { pending = 2, unreviewed = 3, queue = 9, mode = 7, model = 6, input = 8, output = 8, context = 4, quota = 9 }
local groups = { edit = 'EmendoLineHunks', auto_edit = 'EmendoLineBusy', plan = 'EmendoLineBusy', yolo = 'EmendoLineWarn', warning = 'EmendoLineWarn' }

local function state(s)
  local pieces = {}
  for _, line in ipairs(s.view.status and s.view.status.lines or {}) do
    local weight, group = weights[line.id], groups[line.look]
    local blank = line.id == 'quota' and line.look ~= 'warning' or line.id == 'context' and line.share < 0.01
    if weight and not blank then
      local level = line.share and gauge[math.max(1, math.min(#gauge, math.ceil(line.share * #gauge)))] .. ' ' or ''
      table.insert(pieces, { text = level .. (line.text.short or line.text.text), group = group or 'EmendoLineDim', weight = group and math.min(weight, 3) or weight })
    end
  end
  return pieces
end

-- The title gets at least this many columns before less important pieces are shown.
local title_room = 16

--- Returns the line above the panel.
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
function M.statusline()
  local server = client.server
  local pieces = { { text = 'emendo', group = 'EmendoLineTitle', weight = 1 } }
  local room = vim.api.nvim_win_get_width(vim.g.statusline_winid or 0) - 1
  local restricted
  for _, line in ipairs(window.view.status and window.view.status.lines or {}) do
    restricted = line.id == 'restricted' and (line.text.short or line.text.text) or restricted
  end
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
local function tick()
  if not should_spin() then
    timer:stop()
  end
  local pair = layout.pair()
  if pair and not vim.api.nvim_get_mode().mode:match('^[rc]') then -- else Neovim itself shows a prompt
    pcall(vim.api.nvim__redraw, { win = pair.panel, winbar = true })
  end
end

--- Reports whether the spinner is running.
function M.is_spinning()
  return timer:is_active()
end

--- Starts the spinner if a turn is running; it stops by itself.
function M.update()
  if should_spin() and not timer:is_active() then
    timer:start(spinner.every, spinner.every, vim.schedule_wrap(tick))
  end
end

events.on({ 'Turn', 'Question', 'Session' }, M.update)
events.after({ 'TabEnter', 'WinNew' }, function()
  vim.schedule(M.update)
end)

return M
