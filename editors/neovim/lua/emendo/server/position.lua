-- Converts Neovim's positions (bytes) to LSP's (UTF-16).
local M = {}

--- Returns the number of UTF-16 code units before a byte of a line.
---@param line string
---@param byte integer zero-based
---@return integer
local function units(line, byte)
  byte = math.min(byte, #line)
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_utfindex(line, 'utf-16', byte, false)
  end
  local _, utf16 = vim.str_utfindex(line, byte)
  return utf16
end

--- Returns an LSP position.
---@param buf integer
---@param row integer zero-based
---@param byte integer zero-based
---@return {line: integer, character: integer}
function M.lsp(buf, row, byte)
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  return { line = row, character = units(line, byte) }
end

return M
