-- The server's process and the messages to and from it, for vim.lsp: an RPC client as
-- returned by a `cmd` function.
--
-- Neovim's own client reads everything that the server has written and handles all of it
-- before the next key. This one handles messages for a few milliseconds, lets Neovim process
-- other events, and continues. Meanwhile the server waits, and merges text that accumulates
-- into one message.
local words = require('emendo.words')

local M = {}

--- The error code for requests whose server has ended. LSP leaves this code to clients.
M.gone = -32899

-- How long messages are handled without a pause, in nanoseconds.
local stretch = 4e6

---@class emendo.Request
---@field name string
---@field done fun(err: table?, result: any)
---@field answered? fun(id: integer) is told that an answer came

---@class emendo.Transport M.start lists its fields
local Transport = {}
Transport.__index = Transport

function Transport:send(message)
  if self.closing then
    return false
  end
  message.jsonrpc = '2.0'
  local body = vim.json.encode(message)
  self.stdin:write(('Content-Length: %d\r\n\r\n%s'):format(#body, body))
  return true
end

--- Calls a handler of vim.lsp. Passes an error to vim.lsp, which reports it.
function Transport:try(kind, handler, ...)
  local ok, err = xpcall(handler, debug.traceback, ...)
  if not ok then
    pcall(self.dispatchers.on_error, vim.lsp.rpc.client_errors[kind], err)
  end
end

--- Answers a request from the server. The handler runs in a coroutine and may yield.
function Transport:serve(message)
  coroutine.wrap(function()
    local ok, result, err = pcall(self.dispatchers.server_request, message.method, message.params)
    if not ok then
      result, err = nil, { code = vim.lsp.protocol.ErrorCodes.InternalError, message = tostring(result) }
    elseif result == nil and err == nil then
      result = vim.NIL
    end
    if err and not err.message then
      err.message = vim.lsp.protocol.ErrorCodes[err.code] or 'error'
    end
    self:send({ id = message.id, result = result, error = err })
  end)()
end


--- Handles the answer to a request.
---@param id integer
---@param err? table
---@param result? any
function Transport:answer(id, err, result)
  local request = self.requests[id]
  self.requests[id] = nil
  if request and request.answered then
    self:try('SERVER_RESULT_CALLBACK_ERROR', request.answered, id)
  end
  if request then
    err = err and setmetatable(err, { __tostring = vim.lsp.rpc.format_rpc_error })
    self:try('SERVER_RESULT_CALLBACK_ERROR', request.done, err, result)
  end
end

function Transport:handle(body)
  body = body:gsub('"after":null', '"after":false') -- else it would be as if there were no `after`
  local ok, message = pcall(vim.json.decode, body, { luanil = { object = true } })
  if not ok or type(message) ~= 'table' then
    pcall(self.dispatchers.on_error, vim.lsp.rpc.client_errors.INVALID_SERVER_JSON, message)
  elseif message.method and message.id then
    self:serve(message)
  elseif message.method then
    self:try('NOTIFICATION_HANDLER_ERROR', self.dispatchers.notification, message.method, message.params)
  elseif message.id then
    self:answer(message.id, message.error, message.result)
  end
end

--- Removes the next complete message from the input and returns it.
function Transport:next()
  if self.left < self.need then
    return nil
  end
  if #self.parts > 0 then
    self.text, self.at = self.text:sub(self.at + 1) .. table.concat(self.parts), 0
    self.parts = {}
  end
  local head, body = self.text:find('\r\n\r\n', self.at + 1, true)
  if not head then
    self.need = self.left + 1
    return nil
  end
  local length = tonumber(self.text:sub(self.at + 1, head):lower():match('content%-length:%s*(%d+)'))
  if not length then
    pcall(self.dispatchers.on_error, vim.lsp.rpc.client_errors.INVALID_SERVER_MESSAGE, self.text:sub(self.at + 1, head))
    self:terminate() -- the start of the next message is unknown
    return nil
  end
  self.need = body + length - self.at
  if self.left < self.need then
    return nil
  end
  local message = self.text:sub(body + 1, body + length)
  self.at, self.left, self.need = body + length, self.left - self.need, 1
  return message
end

--- Handles messages for a limited time. The rest is handled after Neovim's other events.
function Transport:work()
  local ends = vim.uv.hrtime() + stretch
  for message in self.next, self do
    self:handle(message)
    if vim.uv.hrtime() > ends then
      return self.timer:start(0, 0, self.go_on)
    end
  end
  if not self.closing then
    self:read()
  end
end

--- Reads one chunk. Reads no more until it is handled.
function Transport:read()
  self.stdout:read_start(function(_, data)
    self.stdout:read_stop()
    if data then
      table.insert(self.parts, data)
      self.left = self.left + #data
      self.go_on()
    end
  end)
end


function Transport:close()
  for _, handle in ipairs({ self.stdin, self.stdout, self.stderr, self.timer, self.process }) do
    if not handle:is_closing() then
      handle:close()
    end
  end
end

--- Notifies everyone that the process has ended, including requests without an answer, except
--- initialize and shutdown: those are vim.lsp's own, and it handles the exit itself.
function Transport:exited(code, signal)
  self.closing = true
  for id, request in pairs(vim.deepcopy(self.requests, true)) do
    if request.name ~= 'initialize' and request.name ~= 'shutdown' then
      self:answer(id, { code = M.gone, message = words.server.ended })
    end
  end
  self:close()
  self.dispatchers.on_exit(code, signal)
end

function Transport:terminate()
  if not self.process:is_closing() then
    self.process:kill('sigterm')
  end
end

---@param callback fun(err: table?, result: any)
---@param answered? fun(id: integer)
---@return boolean sent
---@return integer? id
function Transport:request(name, params, callback, answered)
  self.last = self.last + 1
  local id = self.last
  if not self:send({ id = id, method = name, params = params }) then
    return false
  end
  self.requests[id] = { name = name, done = callback, answered = answered }
  return true, id
end

local function environment(extra)
  local all = vim.tbl_extend('force', vim.fn.environ(), { NVIM = vim.v.servername, NVIM_LISTEN_ADDRESS = false }, extra)
  local list = {}
  for name, value in pairs(all) do
    if value then
      list[#list + 1] = name .. '=' .. tostring(value)
    end
  end
  return list
end

--- Starts a program and returns an RPC client for it.
---@param dispatchers vim.lsp.rpc.Dispatchers
---@param opts {cwd: string, env: table<string, string>}
---@return vim.lsp.rpc.PublicClient client with pid, and said()
function M.start(cmd, dispatchers, opts)
  local t = setmetatable({
    dispatchers = dispatchers,
    stdin = assert(vim.uv.new_pipe()),
    stdout = assert(vim.uv.new_pipe()),
    stderr = assert(vim.uv.new_pipe()),
    timer = assert(vim.uv.new_timer()), -- continues with the rest
    text = '', -- what was read, up to `at` handled
    at = 0,
    parts = {}, ---@type string[] what was read after that
    left = 0, -- bytes that are not handled
    need = 1, -- bytes without which there is no next message
    requests = {}, ---@type table<integer, emendo.Request> those without an answer, by id
    last = 0, -- the id of the last request
    said = nil, ---@type string? the last line on standard error
    closing = false,
  }, Transport)
  t.go_on = vim.schedule_wrap(function()
    if not t.closing then
      t:work()
    end
  end)
  local process, pid = vim.uv.spawn(cmd[1], {
    args = vim.list_slice(cmd, 2),
    cwd = opts.cwd,
    env = environment(opts.env),
    stdio = { t.stdin, t.stdout, t.stderr },
    detached = vim.fn.has('win32') == 0, -- <C-c> in the terminal must not reach it
    hide = true,
  }, function(code, signal)
    vim.schedule(function()
      t:exited(code, signal)
    end)
  end)
  if not process then
    t:close()
    error(pid)
  end
  t.process, t.pid = process, pid
  t:read()
  t.stderr:read_start(function(_, data)
    for line in (data or ''):gmatch('[^\r\n]+') do
      t.said = line
    end
  end)
  return {
    pid = pid,
    request = function(...)
      return t:request(...)
    end,
    notify = function(name, params)
      return t:send({ method = name, params = params })
    end,
    is_closing = function()
      return t.closing
    end,
    terminate = function()
      t:terminate()
    end,
    said = function()
      return t.said
    end,
  }
end

return M
