-- Scratch buffers: previews of hunks that create, delete or rename a file, which has no
-- buffer to draw in; editors for the new text of a hunk or another text; and diffs.
local changes = require('emendo.review.changes')
local client = require('emendo.server.client')
local drawing = require('emendo.review.drawing')
local events = require('emendo.events')
local jump = require('emendo.windows.jump')
local layout = require('emendo.windows.layout')
local scratch = require('emendo.windows.scratch')
local visible = require('emendo.text.visible')
local words = require('emendo.words')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.preview')

--- Returns the id of the hunk that a buffer previews.
function M.hunk(buf)
  return vim.b[buf].emendo_hunk
end

--- Creates a scratch buffer that goes with its last window.
---@param filetype? string
local function create(name, lines, filetype)
  local buf = scratch.new(name, lines)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].filetype = filetype or ''
  return buf
end

--- Returns the 'winbar' of a preview: what the hunk does and the keys, with the name of the file
--- if there is room for it: the status line has it too.
function M.winbar()
  local win = vim.g.statusline_winid or 0
  local h = changes.known[M.hunk(vim.api.nvim_win_get_buf(win)) or '']
  local file = h and changes.file(h)
  if not file then
    return ''
  end
  local room = vim.api.nvim_win_get_width(win) - 2
  local name, hint = file.title.text .. ': ', drawing.hint(h, room)
  for _, text in ipairs({ name .. hint, hint, name .. h.label.text, visible.shortened(h.label.text, room) }) do
    if vim.fn.strdisplaywidth(text) <= room then
      return '%#EmendoHunk# ' .. text:gsub('%%', '%%%%') .. '%*'
    end
  end
  return ''
end

--- Fills a preview with the rows of its hunk.
local function fill(buf, rows)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, vim.tbl_map(function(row)
    return visible.text(row[2])
  end, rows))
  vim.bo[buf].modifiable = false
  for i, row in ipairs(rows) do
    local group = ({ ['+'] = 'EmendoAdd', ['-'] = 'EmendoDelete' })[row[1]]
    vim.api.nvim_buf_set_extmark(buf, ns, i - 1, 0, { end_row = i, strict = false, hl_group = group, hl_eol = true, priority = 90 })
  end
end

--- Opens a preview of what a hunk does to a file that has no buffer. The name of its buffer
--- ends with the file's, since status lines show the end of a name.
function M.open(h)
  local buf = create(('emendo://hunk/%s/%s'):format(h.id, vim.fs.basename(h.path)), {}, vim.filetype.match({ filename = h.path }))
  vim.b[buf].emendo_hunk = h.id
  vim.api.nvim_set_current_win(layout.window_for_file())
  jump.show(buf)
  vim.wo[0][0].winbar = "%{%v:lua.require'emendo.review.preview'.winbar()%}" -- covers no text
  client.request('emendo/view/item', { id = h.id }, function(err, result)
    if not err and vim.api.nvim_buf_is_valid(buf) then
      fill(buf, result.hunk.rows or {})
    end
  end)
end

--- Deletes the buffer of a preview. Its windows show their alternate buffer again.
local function close(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    vim.api.nvim_win_call(win, function()
      local other = vim.fn.bufnr('#')
      vim.cmd(other > 0 and vim.api.nvim_buf_is_loaded(other) and 'buffer #' or 'enew')
    end)
  end
  if vim.api.nvim_buf_is_valid(buf) then
    vim.api.nvim_buf_delete(buf, { force = true })
  end
end

events.on('Hunks', function() -- a hunk that is decided has no preview
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local id = vim.api.nvim_buf_is_valid(buf) and M.hunk(buf)
    if id and not changes.known[id] then
      close(buf)
    end
  end
end)

--- Opens a text in a split below, to be edited. Writing it calls done with the text as edited
--- and deletes its buffer. Text of that name that is being edited already is shown instead, as
--- the user has left it.
---@param name string of the buffer
---@param place? table where the text belongs; it has whole lines then
---@param done fun(text: string)
function M.edit(name, text, place, done)
  local open = scratch.named(name)
  local shown = open and vim.bo[open].modified and vim.fn.win_findbuf(open)[1]
  if shown then
    return vim.api.nvim_set_current_win(shown)
  end
  local ending = text:match('\r?\n$') or (place and text == '' and '\n' or '')
  local lines = vim.split(text:sub(1, #text - #ending):gsub('\r\n', '\n'), '\n', { plain = true })
  local path = place and vim.uri_to_fname(place.uri) or 'question.md'
  local buf = create(name, text == '' and {} or lines, vim.filetype.match({ filename = path, contents = lines }))
  vim.bo[buf].buftype = 'acwrite'
  vim.bo[buf].modified = false
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    buffer = buf,
    callback = function()
      local edited = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), ending:match('\r\n') or '\n')
      vim.bo[buf].modified = false
      done(edited == '' and '' or edited .. ending)
      vim.schedule(function()
        if vim.api.nvim_buf_is_valid(buf) then
          vim.api.nvim_buf_delete(buf, { force = true })
        end
      end)
    end,
  })
  local height = math.min(15, vim.api.nvim_buf_line_count(buf) + 2)
  local win = vim.api.nvim_open_win(buf, true, { split = 'below', win = layout.window_for_file(), height = height })
  vim.wo[win][0].winbar = '%#EmendoHunk# ' .. words.edit .. '%*'
end

--- Shows a generated text in a window for files.
function M.show(name, text, filetype)
  local buf = create(name, vim.split(text, '\n', { plain = true }), filetype)
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].buflisted = true
  vim.bo[buf].modified = false
  layout.close_float()
  vim.api.nvim_set_current_win(layout.window_for_file())
  jump.show(buf)
end

--- Shows the lines of diffs beside the file in front.
function M.show_diff(lines)
  local buf = create('emendo://diff', lines, 'diff')
  vim.bo[buf].modifiable = false
  vim.api.nvim_set_current_win(layout.window_for_file())
  vim.api.nvim_open_win(buf, true, { split = 'right', win = 0 })
end

return M
