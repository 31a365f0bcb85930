-- What a configuration calls: setup, status, and the functions of the API, which are loaded when one
-- of them is used.
---@class emendo: emendo.Api
local M = {}

require('emendo.events').on('starting', function()
  require('emendo.handlers') -- which listens too, and is called next
end)

--- Sets the options and maps the keys. It can be called again.
---@param opts? emendo.Options
function M.setup(opts)
  local config = require('emendo.config')
  config.set(opts)
  require('emendo.keys').map(M)
  for name in pairs(opts and opts.prompts or {}) do
    if require('emendo.command').is_own(name) then
      vim.notify(require('emendo.words').taken_name:format(name), vim.log.levels.WARN)
    end
  end
  if config.options.start then
    require('emendo.server.client').start()
  end
end

--- Returns a short phrase for a status line; empty if emendo has not been used.
---@return string
function M.status()
  return package.loaded['emendo.server.client'] and require('emendo.status').line() or ''
end

return setmetatable(M, {
  __index = function(_, name)
    return require('emendo.api')[name]
  end,
})
