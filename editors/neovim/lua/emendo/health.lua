-- :checkhealth emendo: what is missing, each with its mend. It runs in any
-- Neovim, also in one that is too old for the rest.
local M = {}

local h = vim.health
local start = h.start or h.report_start
local ok = h.ok or h.report_ok
local info = h.info or h.report_info
local warn = h.warn or h.report_warn
local error = h.error or h.report_error

-- The version of the wire that the plugin speaks.
local wire = 1

--- Variables that hold a key or say how else to sign in.
local credentials = { 'GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_APPLICATION_CREDENTIALS' }

local function neovim()
  start('Neovim')
  if vim.fn.has('nvim-0.10') ~= 1 then
    error('this Neovim is too old: emendo takes 0.10 or newer', { 'Install Neovim 0.10 or newer: https://github.com/neovim/neovim/releases' })
    return false
  end
  ok('Neovim ' .. tostring(vim.version()))
  if not pcall(vim.treesitter.language.inspect, 'markdown') then
    info('there is no treesitter parser for Markdown; the panel is coloured by the older syntax file')
  end
  return true
end

--- What a command of emendo prints, or nil when it fails.
---@param args string[]
local function output(args)
  local config = require('emendo.config').options
  local cmd = vim.list_extend({ config.cmd[1] }, args)
  local started, process = pcall(vim.system, cmd, { text = true, env = config.env, timeout = 5000 })
  if not started then
    return nil, tostring(process)
  end
  local result = process:wait()
  return result.code == 0 and result.stdout or nil, vim.trim(result.stderr or '')
end

local function binary()
  start('The program')
  local program = require('emendo.config').options.cmd[1]
  if vim.fn.executable(program) ~= 1 then
    error(('there is no program %q'):format(program), {
      'Run `go install ./cmd/emendo` in a clone of emendo, and put ~/go/bin on your PATH before Neovim starts',
      'Or name it in your configuration: require("emendo").setup({ cmd = { "/path/to/emendo", "lsp" } })',
    })
    return false
  end
  local printed, err = output({ 'version', '--json' })
  local read, version = pcall(vim.json.decode, printed or '')
  if not read or type(version) ~= 'table' or not version.version then
    error(('%s does not say its version: it is another program, or a broken one'):format(vim.fn.exepath(program)), {
      err or '',
      'Run `go install ./cmd/emendo` in a clone of emendo',
    })
    return false
  end
  ok(('%s, version %s'):format(vim.fn.exepath(program), version.version))
  return true
end

---@param server emendo.Server
local function server_state(server)
  start('The server')
  if not server.client then
    if server.restarts > 0 then
      error(('it ended %d times in a row'):format(server.restarts + 1), { 'Look at :Emendo log, then run :Emendo restart' })
    else
      info('it does not run; :Emendo starts it')
    end
    return
  end
  if not server.ready then
    return warn('it has been started and has not answered yet', { 'Wait a moment, or run :Emendo restart' })
  end
  local version = server.features.version
  if version ~= wire then
    error(('it speaks version %s of the wire, this plugin version %d'):format(tostring(version or 'none'), wire), {
      'Install the program and the plugin from the same clone: git pull, then `go install ./cmd/emendo`',
      'Then run :Emendo restart',
    })
  else
    ok(('it runs in %s, version %s'):format(server.root, server.version or '?'))
  end
  if server.status and server.status.kind == 'error' then
    error(server.status.message, { 'Mend that, then run :Emendo restart' })
  end
end

---@param server emendo.Server
local function key(server)
  start('The model')
  local env = require('emendo.config').options.env
  local function get(name)
    local value = env[name] or vim.env[name]
    return value and value ~= '' and value or nil
  end
  local how = {
    'Get a key at https://aistudio.google.com/apikey and start Neovim with it: export GEMINI_API_KEY=…',
    'Or pass it to the server alone: require("emendo").setup({ env = { GEMINI_API_KEY = … } })',
    'Then run :Emendo restart',
  }
  local model = get('EMENDO_MODEL') or get('GEMINI_MODEL')
  if model and vim.startswith(model, 'replay:') then
    return ok('recorded answers: ' .. model)
  end
  for _, name in ipairs(credentials) do
    if get(name) then
      if server.status and server.status.kind == 'signed_out' then
        return error('the provider did not take the key in ' .. name, how)
      end
      return ok('there is a key in ' .. name)
    end
  end
  error('there is no key in GEMINI_API_KEY, nor another way to sign in', how)
end

---@param server emendo.Server
local function trust(server)
  start('Trust')
  local root = server.root or require('emendo.client').find_root()
  local setting = require('emendo.config').options.trust
  local how = {
    'If you trust what is in it, run :Emendo trust (or `emendo trust add` in a terminal)',
    'Without that emendo reads and proposes edits there, and runs nothing',
  }
  if setting == 'restricted' then
    return warn(root .. ' is restricted by setup({ trust = "restricted" })', { 'Leave the option out, then run :Emendo restart and :Emendo trust' })
  elseif setting == 'trusted' then
    return ok(root .. ' is trusted by setup({ trust = "trusted" })')
  end
  local listed, err = output({ 'trust', 'list' })
  if not listed then
    return warn('which folders are trusted cannot be told: ' .. err)
  end
  if vim.tbl_contains(vim.split(listed, '\n', { plain = true }), root) then
    return ok(root .. ' is trusted')
  end
  warn(root .. ' is not trusted', how)
end

--- Runs the checks.
function M.check()
  if not neovim() then
    return
  end
  local server = require('emendo.client').server
  local there = binary()
  server_state(server)
  key(server)
  if there then
    trust(server)
  end
end

return M
