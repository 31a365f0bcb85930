-- Provides the completion of the prompt: to Neovim's LSP completion and to plugins
-- that use language servers, by a small server inside Neovim; to nvim-cmp, by a
-- source; and with 'autocomplete', by opening the popup menu. blink.cmp uses the
-- server, or the module emendo.blink as a provider.
local completion = require('emendo.panel.completion')

local M = {}

-- The server inside Neovim -------------------------------------------------

--- Converts a UTF-16 column to a byte column.
local function byte(buf, row, character)
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  local at = vim.fn.byteidx(line, character, true)
  return at >= 0 and at or #line
end

local capabilities = {
  positionEncoding = 'utf-16',
  textDocumentSync = { openClose = true, change = 0 },
  completionProvider = { triggerCharacters = completion.triggers },
}

--- The `cmd` function of an in-process language server for the prompt.
---@param dispatchers vim.lsp.rpc.Dispatchers
local function serve(dispatchers)
  local closing, id = false, 0
  return {
    request = function(method, params, callback, answered)
      id = id + 1
      local this = id
      local function answer(result)
        if answered then
          answered(this)
        end
        callback(nil, result)
      end
      if method == 'initialize' then
        answer({ capabilities = capabilities, serverInfo = { name = 'emendo prompt' } })
      elseif method == 'textDocument/completion' then
        local buf = vim.uri_to_bufnr(params.textDocument.uri)
        local row = params.position.line
        completion.list(buf, row, byte(buf, row, params.position.character), 'utf-16', answer)
      else
        answer(vim.NIL)
      end
      return true, this
    end,
    notify = function(method)
      if method == 'exit' and not closing then
        closing = true
        dispatchers.on_exit(0, 0)
      end
      return true
    end,
    is_closing = function()
      return closing
    end,
    terminate = function()
      closing = true
    end,
  }
end

local function attach(buf)
  pcall(vim.api.nvim_buf_call, buf, function() -- 0.10 attaches to the current buffer
    vim.lsp.start({ name = 'emendo-prompt', cmd = serve, root_dir = vim.fn.getcwd() }, { bufnr = buf })
  end)
end

-- nvim-cmp ------------------------------------------------------------------

local Source = {}
Source.__index = Source

function Source:is_available()
  return vim.bo.filetype == 'emendo-prompt'
end

function Source:get_debug_name()
  return 'emendo'
end

function Source:get_trigger_characters()
  return completion.triggers
end

function Source:get_keyword_pattern()
  return [[\%(@\|\/\)\S*]]
end

function Source:get_position_encoding_kind()
  return 'utf-16'
end

function Source:complete(params, callback)
  local at = params.context.cursor
  completion.list(params.context.bufnr, at.row - 1, at.col - 1, 'utf-16', callback)
end

local registered = false

--- Registers the source with nvim-cmp, if that is loaded, and enables it in the prompt
--- unless the user has configured sources for it.
function M.register()
  local cmp = package.loaded['cmp']
  if registered or type(cmp) ~= 'table' or not cmp.register_source then
    return
  end
  registered = true
  cmp.register_source('emendo', setmetatable({}, Source))
  local ok, config = pcall(require, 'cmp.config')
  local chosen = ok and type(config.filetypes) == 'table' and config.filetypes['emendo-prompt']
  if not chosen and type(cmp.setup) == 'table' and cmp.setup.filetype then
    cmp.setup.filetype('emendo-prompt', { sources = { { name = 'emendo' } } })
  end
end

--- Opens the popup menu if 'autocomplete' is set, which does not support asynchronous
--- functions itself.
local function automatic()
  if vim.fn.exists('+autocomplete') == 1 and vim.o.autocomplete and vim.fn.pumvisible() == 0 then
    completion.popup(true)
  end
end

--- Enables completion in a buffer of the prompt.
---@param buf integer
function M.enable(buf)
  attach(buf)
  M.register()
  vim.api.nvim_create_autocmd('InsertEnter', {
    buffer = buf,
    callback = function()
      vim.schedule(M.register) -- plugins are often loaded by this event
    end,
  })
  vim.api.nvim_create_autocmd('TextChangedI', { buffer = buf, callback = automatic })
end

return M
