-- A character that turns while something runs.
local M = {}

local frames = { '⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏' }

--- The duration of a frame, in milliseconds.
M.every = 120

--- Returns the frame to show now.
function M.frame()
  return frames[math.floor(vim.uv.now() / M.every) % #frames + 1]
end

return M
