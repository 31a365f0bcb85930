-- Defines the :Emendo command. Everything else is loaded when it is used.
if vim.g.loaded_emendo then
  return
end
vim.g.loaded_emendo = 1

vim.api.nvim_create_user_command('Emendo', function(given)
  require('emendo.command').run(given)
end, {
  nargs = '*',
  range = true,
  desc = 'emendo: open the panel, or do what the first word says',
  complete = function(lead, line)
    return require('emendo.command').complete(lead, line)
  end,
})

local group = vim.api.nvim_create_augroup('emendo', {})

-- Buffers of the plugin have nothing to read, so a session file loads them silently.
-- :edit in the panel or the prompt restores their text.
vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'emendo://*',
  callback = function(event)
    if package.loaded['emendo.panel'] then
      require('emendo.panel').reread(event.buf)
    end
  end,
})

-- A session file restores the windows of the panel, but not their contents.
vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = group,
  callback = function()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.startswith(vim.api.nvim_buf_get_name(buf), 'emendo://') then
        require('emendo.handlers')
        return require('emendo.panel').restore()
      end
    end
  end,
})
