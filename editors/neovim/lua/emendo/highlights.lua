-- Highlight groups, each linked to one of the colour scheme's own.
local M = {}

local links = {
  EmendoAdd = 'DiffAdd', -- lines that a pending hunk adds
  EmendoDelete = 'DiffDelete', -- lines that a pending hunk removes
  EmendoHunk = 'Comment', -- what is said beside a hunk
  EmendoSign = 'Special', -- the sign beside a hunk
  EmendoApplied = 'DiagnosticOk', -- the sign beside what was changed without a question
  EmendoConflict = 'DiagnosticWarn', -- a hunk that does not fit any more
  EmendoSelection = 'Visual', -- lines that go with the next question
  EmendoHeading = 'Title', -- who speaks
  EmendoRule = 'WinSeparator', -- the line after a heading
  EmendoThought = 'Comment', -- the model's reasoning
  EmendoTool = 'Function', -- the name of a tool
  EmendoToolDetail = 'Comment', -- how long it took, its output
  EmendoToolPending = 'Comment', -- marks of a call's state
  EmendoToolRunning = 'DiagnosticInfo',
  EmendoToolWaiting = 'DiagnosticWarn',
  EmendoToolDone = 'DiagnosticOk',
  EmendoToolFailed = 'DiagnosticError',
  EmendoQuestion = 'DiagnosticWarn', -- a question to the user
  EmendoOption = 'Special', -- what can be answered
  EmendoLink = 'Directory', -- the lines a question is about
  EmendoInfo = 'DiagnosticInfo', -- notices
  EmendoWarning = 'DiagnosticWarn',
  EmendoError = 'DiagnosticError',
}

--- Removed lines have a background, which DiffDelete of some colour schemes,
--- Neovim's own among them, does not have.
local function removed()
  local group = vim.api.nvim_get_hl(0, { name = 'DiffDelete', link = false })
  if group.bg or group.reverse then
    return { link = 'DiffDelete', default = true }
  end
  local dark = vim.o.background == 'dark'
  return { bg = dark and '#4b1f26' or '#ffd8d8', ctermbg = dark and 52 or 224, default = true }
end

--- Defines the groups, and does so again when the colour scheme changes.
function M.define()
  for name, link in pairs(links) do
    vim.api.nvim_set_hl(0, name, name == 'EmendoDelete' and removed() or { link = link, default = true })
  end
end

M.define()
vim.api.nvim_create_autocmd('ColorScheme', {
  group = vim.api.nvim_create_augroup('emendo.highlights', {}),
  callback = M.define,
})

return M
