-- What goes with the next question: lines of a buffer, and images.
local buffers = require('emendo.server.buffers')
local paths = require('emendo.server.paths')

local M = {}

local ns = vim.api.nvim_create_namespace('emendo.selection')

---@class emendo.Linked lines that go with the next question; an extmark follows them
---@field buf integer
---@field mark integer
local linked ---@type emendo.Linked?

--- Returns the current range of the lines to send with the next question, one-based.
---@return {buf: integer, first: integer, last: integer}?
function M.linked()
  if not linked or not vim.api.nvim_buf_is_loaded(linked.buf) then
    return nil
  end
  local at = vim.api.nvim_buf_get_extmark_by_id(linked.buf, ns, linked.mark, { details = true })
  if #at == 0 then
    return nil
  end
  local last = math.min(at[3].end_row, vim.api.nvim_buf_line_count(linked.buf))
  return { buf = linked.buf, first = at[1] + 1, last = math.max(at[1] + 1, last) }
end

--- Detaches the lines from the next question.
local function unlink()
  if linked and vim.api.nvim_buf_is_loaded(linked.buf) then
    vim.api.nvim_buf_clear_namespace(linked.buf, ns, 0, -1)
  end
  linked = nil
end

--- Attaches lines to the next question, in place of those attached before.
---@param first integer one-based
---@param last integer one-based, included
function M.link(b, first, last)
  unlink()
  local count = vim.api.nvim_buf_line_count(b)
  first, last = math.max(1, math.min(first, count)), math.max(1, math.min(last, count))
  local mark = vim.api.nvim_buf_set_extmark(b, ns, first - 1, 0, {
    end_row = last,
    strict = false,
    hl_group = 'EmendoSelection',
    hl_eol = true,
    priority = 90,
  })
  linked = { buf = b, mark = mark }
end

--- Returns the ContentBlock for lines of a buffer: a link, since the server knows the
--- buffer's text, or the text itself if the buffer is not a file.
---@param first integer one-based
---@param last integer one-based, included
---@return table ContentBlock
function M.block_of(b, first, last)
  local path = vim.api.nvim_buf_get_name(b)
  if not paths.of_buffer(b) then
    local text = table.concat(vim.api.nvim_buf_get_lines(b, first - 1, last, false), '\n') .. '\n'
    local name = path ~= '' and vim.fs.basename(path) or 'Buffer-' .. b
    return {
      type = 'resource',
      resource = { uri = ('untitled:%s#L%d-%d'):format(vim.uri_encode(name), first, last), text = text },
      _meta = { emendo = { kind = 'selection', label = ('%s:%d-%d'):format(name, first, last) } },
    }
  end
  buffers.include(b)
  return {
    type = 'resource_link',
    uri = vim.uri_from_bufnr(b),
    name = vim.fn.fnamemodify(path, ':~:.'),
    _meta = { range = { start = { line = first - 1, character = 0 }, ['end'] = { line = last, character = 0 } } },
  }
end

--- Returns lines of a buffer as the target of a command: a place, and their text if the buffer
--- is not a file.
---@param first integer one-based
---@param last integer one-based, included
function M.target(b, first, last)
  local block = M.block_of(b, first, last)
  if block.resource then
    return { uri = block.resource.uri, text = block.resource.text }
  end
  return { uri = block.uri, range = block._meta.range }
end

---@class emendo.Image an image that goes with the next question
---@field name string
---@field block table ContentBlock

local images = {} ---@type emendo.Image[]

--- Returns the images to send with the next question.
function M.images()
  return images
end

--- Attaches images to the next question.
---@param more emendo.Image[]
function M.attach(more)
  vim.list_extend(images, more)
  vim.cmd.redrawstatus({ bang = true })
end

--- Detaches the lines and the images from the next question.
function M.detach()
  unlink()
  images = {}
  vim.cmd.redrawstatus({ bang = true })
end

return M
