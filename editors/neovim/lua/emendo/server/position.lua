-- Converts Neovim's positions (bytes) to those of the server (UTF-16), and back.
local M = {}

--- Returns the byte of a text at which a position of the server is. The text may have any bytes.
---@return integer zero-based
function M.byte(line, character)
  if vim.fn.has('nvim-0.11') == 1 then
    return vim.str_byteindex(line, 'utf-16', character, false)
  end
  return vim.str_byteindex(line, math.min(character, select(2, vim.str_utfindex(line))), true)
end

--- Returns an LSP position.
---@param row integer zero-based
---@param byte integer zero-based
function M.lsp(buf, row, byte)
  local line = vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ''
  return { line = row, character = vim.fn.strutf16len(line:sub(1, byte)) }
end

return M
