-- Terminals that the server fills: the user's shell or a command of the user's, and commands of
-- the agent in the background.
local client = require('emendo.server.client')
local events = require('emendo.events')
local messages = require('emendo.messages')

local M = {}

local open = {} ---@type table<string, {chan: integer, win: integer, size?: string}> by id

--- Sends a request about a terminal. It fails if the program has just ended.
local function send(method, id, params)
  client.request('emendo/terminal/' .. method, vim.tbl_extend('force', { terminalId = id }, params), function() end)
end

local function size(win)
  return { rows = vim.api.nvim_win_get_height(win), columns = vim.api.nvim_win_get_width(win) }
end

--- Opens a terminal in a window of its own.
---@param opts {command?: string, sessionId?: string, pid?: integer} with pid: a command in the background
function M.open(opts)
  vim.cmd('botright split')
  local win, buf = vim.api.nvim_get_current_win(), vim.api.nvim_create_buf(true, false)
  vim.api.nvim_win_set_buf(win, buf)
  local id
  local chan = vim.api.nvim_open_term(buf, {
    force_crlf = false,
    on_input = function(_, _, _, data)
      if open[id or ''] and not opts.pid then
        send('write', id, { data = data })
      end
    end,
  })
  client.request('emendo/terminal/open', vim.tbl_extend('force', size(win), opts), function(err, result)
    if err then
      pcall(vim.api.nvim_buf_delete, buf, { force = true })
      return messages.error(client.error_text(err))
    end
    id = result.terminalId
    if not vim.api.nvim_buf_is_valid(buf) then
      return send('close', id, {}) -- the user was faster
    end
    open[id] = { chan = chan, win = win }
    pcall(vim.api.nvim_buf_set_name, buf, 'emendo://' .. id)
    vim.api.nvim_create_autocmd('BufWipeout', {
      buffer = buf,
      callback = function()
        if open[id] then
          open[id] = nil
          send('close', id, {})
        end
      end,
    })
    if not opts.pid and vim.api.nvim_get_current_win() == win then
      vim.cmd.startinsert()
    end
  end)
end

--- Shows what came for a terminal.
function M.on_update(update)
  local terminal = open[update.terminalId]
  if not terminal then
    return
  end
  if update.data then
    vim.api.nvim_chan_send(terminal.chan, update.data)
  end
  if update.exit then
    open[update.terminalId] = nil
    vim.api.nvim_chan_send(terminal.chan, '\r\n' .. update.exit.text.text .. '\r\n')
  end
end

events.after({ 'WinResized', 'VimResized' }, function()
  for id, terminal in pairs(open) do
    local now = vim.api.nvim_win_is_valid(terminal.win) and size(terminal.win)
    if now and vim.inspect(now) ~= terminal.size then
      terminal.size = vim.inspect(now)
      send('resize', id, now)
    end
  end
end)
events.on('Server', function(server)
  open = server.running and open or {}
end)

return M
