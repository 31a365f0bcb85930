-- Handles the server's requests to the editor: apply an edit, save files, return
-- diagnostics.
local buffers = require('emendo.server.buffers')
local paths = require('emendo.server.paths')
local position = require('emendo.server.position')
local words = require('emendo.words')

local M = {}

--- Returns the buffers that a workspace edit changes.
local function changed(edit)
  local bufs = {}
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.textDocument then
      bufs[#bufs + 1] = vim.uri_to_bufnr(change.textDocument.uri)
    end
  end
  return bufs
end

--- Starts a new undo step in each buffer, so that an edit is undone separately from typed
--- text and from other edits.
local function part_undo(bufs)
  for _, buf in ipairs(bufs) do
    if vim.api.nvim_buf_is_loaded(buf) then
      vim.bo[buf].undolevels = vim.bo[buf].undolevels
    end
  end
end

local adds_line ---@type boolean?

--- Reports whether this Neovim adds an empty line to text that an edit appends
--- to a buffer.
local function appending_adds_a_line()
  if adds_line == nil then
    local buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, { 'a' })
    local at = { line = 1, character = 0 }
    vim.lsp.util.apply_text_edits({ { range = { start = at, ['end'] = vim.deepcopy(at) }, newText = 'b\n' } }, buf, 'utf-16')
    adds_line = vim.api.nvim_buf_line_count(buf) > 2
    vim.api.nvim_buf_delete(buf, { force = true })
  end
  return adds_line
end

--- Removes the final line break from text that an edit appends to a buffer, if Neovim
--- would turn it into an empty line.
local function fit_appended(edit)
  for _, change in ipairs(appending_adds_a_line() and edit.documentChanges or {}) do
    local buf = change.textDocument and vim.uri_to_bufnr(change.textDocument.uri)
    local lines = buf and vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_line_count(buf)
    for _, e in ipairs(lines and change.edits or {}) do
      if e.range.start.line >= lines then
        e.newText = e.newText:gsub('\r?\n$', '')
      end
    end
  end
end

--- Handles workspace/applyEdit with Neovim's own handler. The label is removed, since
--- Neovim would print it and might wait for a key.
function M.apply(params, ctx)
  local bufs = changed(params.edit)
  fit_appended(params.edit)
  part_undo(bufs)
  local answer = vim.lsp.handlers['workspace/applyEdit'](nil, { edit = params.edit }, ctx)
  part_undo(bufs)
  return answer
end

--- Reports whether another program has changed a file since its buffer was read or
--- written. Writing such a buffer would prompt the user, who is typing elsewhere.
local function changed_on_disk(buf)
  local conflict = false
  local id = vim.api.nvim_create_autocmd('FileChangedShell', {
    buffer = buf,
    callback = function()
      conflict = vim.v.fcs_reason ~= 'time' and vim.v.fcs_reason ~= 'mode'
      vim.v.fcs_choice = ''
    end,
  })
  pcall(vim.cmd, 'silent! checktime ' .. buf)
  vim.api.nvim_del_autocmd(id)
  return conflict
end

--- Writes a buffer. Returns the reason if that fails.
local function write(buf)
  if not vim.bo[buf].modified then
    return nil
  elseif vim.bo[buf].readonly then
    return words.read_only
  elseif changed_on_disk(buf) then
    return words.changed_on_disk
  end
  local ok, err = pcall(vim.api.nvim_buf_call, buf, function()
    vim.cmd('silent write')
  end)
  return not ok and tostring(err):gsub('^Vim[^:]*:', '') or nil
end

--- Handles emendo/editor/save.
function M.save(params)
  local answer = { saved = {}, failed = {} }
  for _, uri in ipairs(params.uris or {}) do
    local buf = buffers.of_path(paths.of_uri(uri))
    local reason = not buf and words.no_buffer or write(buf)
    if reason then
      table.insert(answer.failed, { uri = uri, reason = reason })
    else
      table.insert(answer.saved, uri)
    end
  end
  return answer
end

--- Converts a diagnostic to an LSP Diagnostic.
---@param d vim.Diagnostic
local function diagnostic(d)
  local sent = vim.tbl_get(d, 'user_data', 'lsp') or {}
  return {
    range = { start = position.lsp(d.bufnr, d.lnum, d.col), ['end'] = position.lsp(d.bufnr, d.end_lnum or d.lnum, d.end_col or d.col) },
    severity = d.severity,
    message = d.message,
    source = d.source,
    code = sent.code or d.code,
    tags = sent.tags,
  }
end

--- Handles emendo/editor/diagnostics, for the given files or all that have any. An empty
--- list means all, as none does.
function M.diagnostics(params)
  local bufs = {}
  if params.uris and #params.uris > 0 then
    for _, uri in ipairs(params.uris) do
      bufs[#bufs + 1] = buffers.of_path(paths.of_uri(uri))
    end
  else
    bufs = vim.tbl_filter(function(buf)
      return vim.bo[buf].buftype == '' and vim.api.nvim_buf_get_name(buf) ~= '' and #vim.diagnostic.get(buf) > 0
    end, vim.api.nvim_list_bufs())
  end
  local items = vim.tbl_map(function(buf)
    return {
      uri = vim.uri_from_bufnr(buf),
      version = (vim.lsp.util.buf_versions or {})[buf],
      diagnostics = vim.tbl_map(diagnostic, vim.diagnostic.get(buf)),
    }
  end, bufs)
  return { items = items }
end

return M
