-- The :Emendo command. Nothing else is loaded before it is used.
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

-- A session file finds nothing to read in buffers of ours, without a message.
-- :edit in the panel or the prompt shows again what was there.
vim.api.nvim_create_autocmd('BufReadCmd', {
  group = group,
  pattern = 'emendo://*',
  callback = function(event)
    if package.loaded['emendo.panel'] then
      require('emendo.panel').reread(event.buf)
    end
  end,
})

-- A session file keeps the windows of the panel, but not what is in them.
vim.api.nvim_create_autocmd('SessionLoadPost', {
  group = group,
  callback = function()
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if vim.startswith(vim.api.nvim_buf_get_name(buf), 'emendo://') then
        return require('emendo.panel').restore()
      end
    end
  end,
})
