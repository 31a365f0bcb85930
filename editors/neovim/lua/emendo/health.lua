-- :checkhealth emendo: reports problems, each with a fix. It runs in any version of
-- Neovim, even one that is too old for the rest of the plugin. `emendo doctor` checks
-- everything outside Neovim.
local words = require('emendo.words').health

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
    error(words.old, { words.newer })
    return false
  end
  ok('Neovim ' .. tostring(vim.version()))
  if not pcall(vim.treesitter.language.inspect, 'markdown') then
    info(words.no_markdown)
  end
  return true
end

---@param server emendo.Server
local function server_state(server)
  start(words.server)
  if not server.client and server.restarts > 0 then
    return error(words.ended:format(server.restarts + 1), { words.look_at_log })
  elseif not server.client then
    return info(words.not_running)
  elseif not server.ready then
    return warn(words.no_answer, { words.wait })
  end
  local version = server.features.version
  if version ~= wire then
    error(words.other_wire:format(tostring(version), wire), { words.same_clone })
  else
    ok(words.runs:format(server.root, server.version or '?'))
  end
  local status = require('emendo.session.window').view.status
  if status and status.look == 'error' then
    error(status.title.text, { words.fix })
  elseif status and status.look == 'signed_out' then
    warn(status.title.text)
  end
end

--- Reports what `emendo doctor` finds on this machine and in the folder. What setup() decides
--- about the folder's trust counts, and not the stored decision.
local function doctor(root)
  start(words.works_with:format(root))
  local config = require('emendo.config').options
  local program = config.cmd[1]
  if vim.fn.executable(program) ~= 1 then
    return error(words.no_program:format(program), words.install)
  end
  local result = vim.system({ program, 'doctor', '--json' }, { text = true, env = config.env, cwd = root, timeout = longest }):wait()
  local read, found = pcall(vim.json.decode, result.stdout or '')
  if not read or type(found) ~= 'table' then
    return error(words.no_doctor:format(vim.fn.exepath(program), vim.trim(result.stderr or '')), words.install)
  end
  local report = { ok = ok, warning = warn, error = error }
  for _, check in ipairs(found.checks or {}) do
    if check.name == 'trust' and config.trust ~= 'ask' then
      info(words.by_setup:format(config.trust))
    elseif check.name ~= 'editors' then -- Neovim is covered
      (report[check.status] or error)(check.name .. ': ' .. check.message, words.fixes[check.name] or check.fix and { check.fix } or nil)
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
  server_state(client.server)
  doctor(root)
end

return M
