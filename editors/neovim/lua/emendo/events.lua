-- What happens in the plugin. A module tells of it and does not know who listens, so that
-- those that talk to the server know nothing of those that draw. Inside the plugin:
--
--   starting(config)         the server is about to be started with this configuration
--   failed(reason, details)  the server does not run, and is not started again
--   attached(buf)            the server knows this buffer from now on
--   folder_added()           the workspace has another folder
--   window(changes)          the window's view has changed; nil: all of it
--   content(view, id, done)  the content of an item is to be loaded
--   steps(steps, of, action) an action leaves these to the editor
--   menu()                   what can be done at the cursor in the panel is to be listed
--   turn_begins()            the first item of a turn comes, in the session that is shown
--   turn_began(session)      the first update of a turn came
--   loaded(session)          the server has loaded a session
--   hunks_changed(buf, new)  hunks of this buffer are other ones; new if their rows hold only now
--   hunks_cleared()          what was known of hunks is forgotten
--   drawn()                  the panel was drawn
local M = {}

local listeners = {} ---@type table<string, fun(...)[]> by event

--- Calls a function each time that one of these events happens.
---@param names string|string[]
---@param f fun(...)
function M.on(names, f)
  for _, name in ipairs(type(names) == 'table' and names or { names }) do
    listeners[name] = listeners[name] or {}
    table.insert(listeners[name], f)
  end
end

--- Calls the functions that wait for an event.
---@param ... any what it is about
function M.emit(name, ...)
  for _, f in ipairs(listeners[name] or {}) do
    f(...)
  end
end

local group = vim.api.nvim_create_augroup('emendo.events', {})

--- Calls a function after events of Neovim.
---@param names string|string[]
---@param f fun(event: table)
---@param pattern? string|string[]
function M.after(names, f, pattern)
  vim.api.nvim_create_autocmd(names, {
    group = group,
    pattern = pattern,
    callback = function(event)
      f(event) -- whose result would remove it
    end,
  })
end

--- Returns a function that has another called soon, once for all calls until then.
function M.soon(f)
  local due = false
  return function()
    if not due then
      due = true
      vim.schedule(function()
        due = false
        f()
      end)
    end
  end
end

--- Emits an event that is also a User autocommand: EmendoStatus, EmendoTurn, EmendoHunks,
--- EmendoQuestion, EmendoSession, EmendoServer, EmendoQueue. Each reports that a part of
--- require('emendo').state() has changed; its data describes the change. Redraws the status
--- lines.
---@param name 'Status'|'Turn'|'Hunks'|'Question'|'Session'|'Server'|'Queue'
---@param data? table
function M.fire(name, data)
  M.emit(name, data or {})
  vim.api.nvim_exec_autocmds('User', { pattern = 'Emendo' .. name, modeline = false, data = data })
  vim.cmd.redrawstatus({ bang = true })
end

return M
