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
