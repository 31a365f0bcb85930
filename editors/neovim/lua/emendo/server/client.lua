-- The server's process: started when first needed and restarted when it dies. Other modules
-- use it through request and notify; what it sends is theirs too, see handlers.lua.
local config = require('emendo.config')
local events = require('emendo.events')
local messages = require('emendo.messages')
local project = require('emendo.server.project')
local transport = require('emendo.server.transport')
local words = require('emendo.words')

local M = {}

-- The delays before a dead server is restarted, in milliseconds. They start over
-- once a server has run for `healthy` milliseconds.
local waits = { 100, 400, 1000, 2500, 5000 }
local healthy = 20000

---@class emendo.Server
---@field client vim.lsp.Client?
---@field pid integer? of its process
---@field root string? the folder it works in
---@field ready boolean it has answered initialize
---@field restarts integer in a row
---@field features table what it said about itself in initialize
---@field version string?
---@field stopping boolean it ends because the user wants it to
---@field again boolean? and starts again then
---@field said string? the last it wrote to standard error before it died
---@type emendo.Server
M.server = { ready = false, restarts = 0, features = {}, stopping = false }

local waiting = {} ---@type fun(err: string?)[] who waits for the server to be ready
local since_0_11 = vim.fn.has('nvim-0.11') == 1

--- Calls a method of a client, with the convention of this version of Neovim.
local function call(client, name, ...)
  if since_0_11 then
    return client[name](client, ...)
  end
  return client[name](...)
end

--- Returns the folder to start a server in: the project of the current file, else that
--- of the current directory, else the current directory.
function M.find_root()
  local root = project.of(0) or project.above(vim.fn.getcwd()) or vim.fn.getcwd()
  return vim.uv.fs_realpath(root) or root
end

local function capabilities()
  local c = vim.lsp.protocol.make_client_capabilities()
  c.general.positionEncodings = { 'utf-16' } -- the same in every version of Neovim
  c.workspace.workspaceEdit.documentChanges = true -- Neovim 0.10 supports them without declaring it
  c.experimental = vim.tbl_extend('force', c.experimental or {}, {
    emendo = {
      version = 1,
      view = 1,
      permission = true,
      elicit = true,
      changes = true,
      comments = true,
      save = true,
      diagnostics = true,
      sessions = true,
      terminals = true,
    },
  })
  return c
end

local function answer_waiting(err)
  local list = waiting
  waiting = {}
  for _, go in ipairs(list) do
    go(err)
  end
end

--- Reports why the server does not run, in a message and in the panel.
---@param err string
---@param details? string for the panel
local function fail(err, details)
  messages.error(err)
  events.emit('failed', err, details)
  answer_waiting(err)
end

local start -- defined below

local function handle_exit(code, signal, born)
  local s = M.server
  local wanted = s.stopping
  s.client, s.ready, s.stopping = nil, false, false
  events.fire('Server', { running = false, code = code, signal = signal })
  if s.again then
    s.again = false
    return start(s.root)
  elseif wanted or vim.v.exiting ~= vim.NIL then
    return answer_waiting(words.server.stopped)
  end
  if vim.uv.now() - born > healthy then
    s.restarts = 0
  end
  if s.restarts >= #waits then
    return fail(words.server.given_up:format(s.restarts + 1), s.said or words.server.code:format(code))
  end
  s.restarts = s.restarts + 1
  messages.hint(words.server.again:format(s.restarts, #waits), vim.log.levels.WARN)
  vim.defer_fn(function()
    if not s.client then
      start(s.root)
    end
  end, waits[s.restarts])
end

--- Returns the `cmd` function for vim.lsp. The exit of the process is handled here and
--- not reported to the user by vim.lsp.
local function connect(cmd, born)
  return function(dispatchers)
    local said ---@type fun(): string?
    local wrapped = vim.tbl_extend('force', dispatchers, {
      on_exit = function(code, signal)
        dispatchers.on_exit(0, 0)
        vim.schedule(function()
          M.server.said = said()
          handle_exit(code, signal, born)
        end)
      end,
    })
    local rpc = transport.start(cmd, wrapped, { cwd = M.server.root, env = config.options.env })
    M.server.pid, said = rpc.pid, rpc.said
    return rpc
  end
end

local function on_init(client, result)
  local s = M.server
  s.ready = true
  s.features = vim.tbl_get(result, 'capabilities', 'experimental', 'emendo') or {}
  s.version = vim.tbl_get(result, 'serverInfo', 'version')
  -- The plugin draws hunks itself, and hovers of other servers stay unchanged.
  client.server_capabilities.hoverProvider = nil
  client.server_capabilities.codeLensProvider = nil
  events.fire('Server', { running = true })
  answer_waiting()
end

--- Starts the server in a folder.
function start(root)
  local s = M.server
  local client_config = {
    name = 'emendo',
    root_dir = root,
    capabilities = capabilities(),
    init_options = { settings = vim.tbl_isempty(config.options.settings) and vim.empty_dict() or config.options.settings, trust = config.options.trust },
    -- The server verifies edits by the changes that it receives.
    flags = { debounce_text_changes = 0 },
    on_init = on_init,
  }
  events.emit('starting', client_config)
  local cmd = config.options.cmd
  if vim.fn.executable(cmd[1]) ~= 1 then
    return fail(words.no_program:format(cmd[1]))
  end
  s.root, s.ready, s.stopping = root, false, false
  client_config.cmd = connect(cmd, vim.uv.now())
  local function never()
    return false
  end
  local ok, id = pcall(since_0_11 and vim.lsp.start or vim.lsp.start_client, client_config, { attach = false, reuse_client = never })
  if not ok or not id then
    return fail(words.server.no_start:format(tostring(id)))
  end
  s.client = vim.lsp.get_client_by_id(id)
end

--- Starts the server if it is not running, and calls back when it is ready or has
--- failed to start.
---@param go fun(err: string?)
function M.ensure(go)
  local s = M.server
  if s.ready and s.client then
    return go()
  end
  waiting[#waiting + 1] = go
  if not s.client then
    start(M.find_root())
  end
end

--- Starts the server once Neovim has started.
function M.start()
  local function go()
    M.ensure(function() end) -- errors are shown anyway
  end
  if vim.v.vim_did_enter == 1 then
    return go()
  end
  vim.api.nvim_create_autocmd('VimEnter', { once = true, callback = go })
end

---@class emendo.Error
---@field message string
---@field code? integer
---@field data? table

--- Returns the text of an error for the user.
---@param err emendo.Error
function M.error_text(err)
  return vim.tbl_get(err, 'data', 'text', 'text') or err.message
end

--- Sends a request and calls back once with the response.
---@param done fun(err: emendo.Error?, result: any)
function M.request(method, params, done)
  M.ensure(function(err)
    if err then
      done({ message = err })
    elseif not call(M.server.client, 'request', method, params, done, vim.api.nvim_get_current_buf()) then
      done({ message = words.server.ended })
    end
  end)
end

--- Sends a request and calls back with the result. An error is shown to the user.
---@param done? fun(result: any)
function M.ask(method, params, done)
  M.request(method, params, function(err, result)
    if err then
      messages.error(M.error_text(err))
    elseif done then
      done(result)
    end
  end)
end

--- Sends a notification if the server is ready.
function M.notify(method, params)
  if M.server.ready then
    call(M.server.client, 'notify', method, params)
  end
end

--- Runs a command of the server.
---@param argument? table
---@param done? fun(err: emendo.Error?, result: any)
function M.execute(command, argument, done)
  M.request('workspace/executeCommand', { command = command, arguments = argument and { argument } or nil }, done)
end

--- Restarts the server; the session continues.
function M.restart()
  local s, c = M.server, M.server.client
  s.restarts = 0
  if not c then
    return M.ensure(function() end)
  end
  s.stopping, s.again = true, true
  call(c, 'stop')
  vim.defer_fn(function()
    if s.client == c then
      call(c, 'stop', true)
    end
  end, 1000)
end

return M
