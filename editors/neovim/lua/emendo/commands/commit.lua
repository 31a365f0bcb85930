-- Has a commit message written for the staged changes.
local client = require('emendo.server.client')
local messages = require('emendo.messages')
local paths = require('emendo.server.paths')
local words = require('emendo.words')

local M = {}

--- Returns the number of lines before the first comment in git's buffer, and whether they
--- are blank.
local function written(buf)
  local empty = true
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  for i, line in ipairs(lines) do
    if vim.startswith(line, '#') then
      return i - 1, empty
    end
    empty = empty and line:match('^%s*$') ~= nil
  end
  return #lines, empty
end

local function insert(buf, lines)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return messages.warn(words.commit_closed)
  end
  local rows, empty = written(buf)
  local function put()
    rows = written(buf)
    vim.bo[buf].undolevels = vim.bo[buf].undolevels -- starts a new undo step
    local more = vim.api.nvim_buf_line_count(buf) > rows and { '' } or {}
    vim.api.nvim_buf_set_lines(buf, 0, rows, false, vim.list_extend(lines, more))
    messages.info(words.committed)
  end
  if empty then
    return put()
  end
  vim.ui.select(words.commit_answers, { prompt = words.commit_there, kind = 'emendo.commit' }, function(_, choice)
    if choice == 1 and vim.api.nvim_buf_is_loaded(buf) then
      put()
    end
  end)
end

--- Returns the folder to compare in. In git's own buffer it is the current directory,
--- since git starts the editor in the right one.
local function folder(buf)
  local path = vim.bo[buf].filetype ~= 'gitcommit' and paths.of_buffer(buf)
  return path and vim.fs.dirname(path) or vim.fn.getcwd()
end

--- Writes a commit message for the staged changes: into the buffer that git has opened for
--- it, else into one to copy it from. Nothing is committed.
---@param opts emendo.PromptOptions
function M.write(opts)
  local buf = opts.buf or vim.api.nvim_get_current_buf()
  local gits = vim.bo[buf].filetype == 'gitcommit' and vim.bo[buf].modifiable
  -- While `git commit -a` runs, its changes are not in the repository's own index.
  local params = { uri = vim.uri_from_fname(folder(buf)), of = not gits and 'staged' or nil, instruction = opts.text }
  client.execute('emendo.commitMessage', params, function(err, result)
    if err then
      messages.error(client.error_text(err))
    elseif result.text ~= '' and gits then
      insert(buf, vim.split(result.text, '\n', { plain = true }))
    elseif result.text ~= '' then
      require('emendo.review.preview').show('emendo://commit-message', result.text, 'gitcommit')
    end
    if result and result.note then
      messages.warn(result.note.text)
    end
    if opts.done then
      opts.done(err, result)
    end
  end)
end

return M
