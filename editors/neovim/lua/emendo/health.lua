-- :checkhealth emendo: reports problems, each with a fix. It runs in any version of
-- Neovim, even one that is too old for the rest of the plugin. `emendo doctor` checks
-- everything outside Neovim.
local M = {}

local h = vim.health
local start = h.start or h.report_start
local ok = h.ok or h.report_ok
local info = h.info or h.report_info
local warn = h.warn or h.report_warn
local error = h.error or h.report_error

-- The protocol version of the plugin.
local wire = 1
-- The timeout of the program, in milliseconds.
local longest = 20000

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

--- Returns what a command of emendo prints as JSON, or nil and the reason.
---@param root string where it runs
---@param ... string
local function printed(root, ...)
  local config = require('emendo.config').options
  local started, process = pcall(vim.system, { config.cmd[1], ... }, { text = true, env = config.env, cwd = root, timeout = longest })
  if not started then
    return nil, tostring(process)
  end
  local result = process:wait()
  local read, value = pcall(vim.json.decode, result.stdout or '')
  if read and type(value) == 'table' then
    return value
  end
  return nil, vim.trim(result.stderr or '')
end

---@param root string
local function binary(root)
  start('The program')
  local program = require('emendo.config').options.cmd[1]
  if vim.fn.executable(program) ~= 1 then
    error(('there is no program %q'):format(program), {
      'Run `go install ./cmd/emendo` in a clone of emendo, and put ~/go/bin on your PATH before Neovim starts',
      'Or name it in your configuration: require("emendo").setup({ cmd = { "/path/to/emendo", "lsp" } })',
    })
    return false
  end
  local version, err = printed(root, 'version', '--json')
  if not version or not version.version then
    local advice = { 'Run `go install ./cmd/emendo` in a clone of emendo' }
    error(('%s does not say its version: it is another program, or a broken one%s'):format(vim.fn.exepath(program), err ~= '' and ': ' .. tostring(err) or ''), advice)
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
  local status = require('emendo.session.window').view.status
  if status and status.look == 'error' then
    error(status.title.text, { 'Fix that, then run :Emendo restart' })
  elseif status and status.look == 'signed_out' then
    warn('not signed in: see credentials below')
  end
end

-- Fixes for users of Neovim, in place of those that the program suggests, by check.
local fixes = {
  credentials = {
    'Run `emendo auth login` in a terminal: it stores the key of a provider, such as one from https://aistudio.google.com/apikey',
    'Or start Neovim with a key: export GEMINI_API_KEY=…',
    'Or pass it to the server alone: require("emendo").setup({ env = { GEMINI_API_KEY = … } }), then run :Emendo restart',
  },
  trust = {
    'If you trust what is in it, run :Emendo trust (or `emendo trust add` in a terminal)',
    'Without that emendo reads and proposes edits there, and runs nothing',
  },
}

--- Reports whether setup() decides the trust of the folder, rather than the stored
--- decision, and shows that decision.
---@param root string
---@return boolean decided
local function trusted_here(root)
  local setting = require('emendo.config').options.trust
  if setting == 'restricted' then
    warn(root .. ' is restricted by setup({ trust = "restricted" })', { 'Leave the option out, then run :Emendo restart and :Emendo trust' })
  elseif setting == 'trusted' then
    ok(root .. ' is trusted by setup({ trust = "trusted" })')
  end
  return setting ~= 'ask'
end

--- Reports what `emendo doctor` finds on this machine and in the folder.
---@param root string
local function doctor(root)
  start('What emendo works with in ' .. root)
  local found, err = printed(root, 'doctor', '--json')
  if not found then
    return error('`emendo doctor` fails: ' .. err, { 'Run it in a terminal' })
  end
  for _, check in ipairs(found.checks or {}) do
    local says = check.name .. ': ' .. check.message
    local advice = fixes[check.name] or check.fix and { check.fix } or nil
    if check.name == 'editors' or check.name == 'trust' and trusted_here(root) then -- already covered
    elseif check.status == 'ok' then
      ok(says)
    elseif check.status == 'warning' then
      warn(says, advice)
    else
      error(says, advice)
    end
  end
end

--- Runs the checks.
function M.check()
  if not neovim() then
    return
  end
  local client = require('emendo.server.client')
  local root = client.server.root or client.find_root()
  local there = binary(root)
  server_state(client.server)
  if there then
    doctor(root)
  end
end

return M
