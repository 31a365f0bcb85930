-- The user's options and their defaults.
local M = {}

---@class emendo.Keys global keys; false switches one off
---@field toggle? string|false opens or closes the panel
---@field ask? string|false asks; in visual mode about the selection
---@field accept? string|false accepts the hunk at the cursor
---@field reject? string|false rejects the hunk at the cursor
---@field next? string|false goes to the next pending hunk
---@field prev? string|false goes to the previous pending hunk
---@field accept_all? string|false accepts every pending hunk
---@field reject_all? string|false rejects every pending hunk

---@class emendo.Panel
---@field position? 'right'|'left'
---@field width? number columns, or below 1 a share of the screen
---@field prompt_height? integer lines of the prompt buffer

---@class emendo.Options
---@field cmd? string[] the server's command line
---@field env? table<string,string> variables that the server gets beside Neovim's own
---@field trust? 'ask'|'trusted'|'restricted' what holds for the folder; "ask" goes by the stored decision
---@field settings? table emendo's own settings, as in settings.json
---@field root_markers? string[] files and folders that mark a project's root
---@field keys? emendo.Keys|false
---@field panel? emendo.Panel
---@field start? boolean start the server with Neovim, not when it is first used
---@field hints? boolean say beside a pending hunk which keys decide it
---@field signs? boolean show a sign beside pending hunks
---@field notify? boolean say in a message what happens outside the panel

---@type emendo.Options
M.defaults = {
  cmd = { 'emendo', 'lsp' },
  env = {},
  trust = 'ask',
  settings = {},
  root_markers = { '.git' },
  keys = {
    toggle = '<leader>ee',
    ask = '<leader>ea',
    accept = '<leader>ey',
    reject = '<leader>en',
    next = ']e',
    prev = '[e',
    accept_all = '<leader>eY',
    reject_all = '<leader>eN',
  },
  panel = { position = 'right', width = 0.4, prompt_height = 5 },
  start = false,
  hints = true,
  signs = true,
  notify = true,
}

---@type emendo.Options
M.options = vim.deepcopy(M.defaults)

--- Takes the user's options; what they leave out is as by default.
---@param given? emendo.Options
function M.set(given)
  given = given or {}
  local known = {}
  for name in pairs(M.defaults) do
    known[name] = true
  end
  for name in pairs(given) do
    if not known[name] then
      vim.notify(('emendo: setup knows no option %q; see :help emendo-options'):format(name), vim.log.levels.WARN)
    end
  end
  M.options = vim.tbl_deep_extend('force', vim.deepcopy(M.defaults), given)
  if given.cmd then
    M.options.cmd = given.cmd -- a list is replaced, not merged
  end
  if given.root_markers then
    M.options.root_markers = given.root_markers
  end
end

--- The key that does something, or nil when it is switched off.
---@param name string
---@return string?
function M.key(name)
  local keys = M.options.keys
  return keys and keys[name] or nil
end

return M
