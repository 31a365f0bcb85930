-- Lists to choose from, with vim.ui.select.
local messages = require('emendo.messages')

---@class emendo.Menu
---@field kind string what the list has, after `emendo.`, for plugins that draw menus
---@field prompt string
---@field none? string what to say if the list is empty
---@field line fun(item: any): string

--- Lets the user choose from a list, and calls done with what is chosen.
---@param list any[]
---@param menu emendo.Menu
---@param done fun(item: any)
return function(list, menu, done)
  if #list == 0 and menu.none then
    return messages.info(menu.none)
  end
  vim.ui.select(list, { prompt = menu.prompt, kind = 'emendo.' .. menu.kind, format_item = menu.line }, function(item)
    if item then
      done(item)
    end
  end)
end
