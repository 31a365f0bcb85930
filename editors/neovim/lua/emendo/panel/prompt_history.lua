-- The prompts that the user has sent in a folder, across all sessions and instances of
-- Neovim, in a private file in Neovim's state directory: one JSON string per line,
-- oldest first.
local client = require('emendo.server.client')
local config = require('emendo.config')

local M = {}

-- Prompts longer than this, in bytes, are not stored.
local longest = 64 * 1024

--- Returns the file for the folder of the server.
local function file()
  local root = client.server.root or client.find_root()
  return vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'emendo', 'prompts', vim.fn.sha256(root) .. '.jsonl')
end

local function read(path)
  local list = {}
  for _, line in ipairs(vim.fn.filereadable(path) == 1 and vim.fn.readfile(path) or {}) do
    local ok, text = pcall(vim.json.decode, line)
    list[#list + 1] = ok and type(text) == 'string' and text or nil
  end
  return list
end

--- Replaces the file atomically, so that another Neovim never reads half of it. That it cannot be
--- written does no harm.
---@param list string[]
local function write(path, list)
  vim.fn.mkdir(vim.fs.dirname(path), 'p', tonumber('700', 8))
  local new = ('%s.%d'):format(path, vim.uv.os_getpid())
  local ok, failed = pcall(vim.fn.writefile, vim.tbl_map(vim.json.encode, list), new)
  local private = ok and failed == 0 and vim.fn.setfperm(new, 'rw-------') == 1
  if not private or not vim.uv.fs_rename(new, path) then
    vim.uv.fs_unlink(new)
  end
end

-- Browsing the prompts: the current position, and the texts that were edited.
local at = 0 -- number of prompts back from the draft
local list ---@type string[]? what the walk goes through, once it has begun
local edited = {} ---@type table<integer, string> by place; the draft is at 0


--- Stores a prompt that was sent. An existing copy of it moves to the end.
function M.add(text)
  at, list, edited = 0, nil, {} -- browsing starts at the draft again
  if config.options.history <= 0 or vim.trim(text) == '' or #text > longest then
    return
  end
  local path = file()
  local all = vim.tbl_filter(function(other)
    return other ~= text
  end, read(path))
  all[#all + 1] = text
  write(path, vim.list_slice(all, math.max(1, #all - config.options.history + 1)))
end

--- Goes to an older or newer prompt and returns its text; nil at either end.
---@param by 1|-1 1 goes to older ones
---@param now string the text in the prompt, which comes back on the way back
function M.go(by, now)
  list = list or config.options.history > 0 and read(file()) or {}
  local to = at + by
  if to < 0 or to > #list then
    return nil
  end
  edited[at] = now
  at = to
  return edited[to] or list[#list - to + 1]
end

return M
