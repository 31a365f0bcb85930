local M = {}

local defaults = {
  separator = " | ",
  show_branch = true,
  show_diagnostics = true,
  max_width = 80,
}

local icons = {
  error = "E",
  warning = "W",
  hint = "H",
}

function M.setup(options)
  M.options = vim.tbl_deep_extend("force", defaults, options or {})
  vim.o.statusline = "%!v:lua.require'statusline'.render()"
end

local function branch()
  if not M.options.show_branch then
    return nil
  end
  local output = vim.fn.systemlist({ "git", "branch", "--show-current" })
  if vim.v.shell_error ~= 0 or #output == 0 then
    return nil
  end
  return output[1]
end

local function diagnostics()
  if not M.options.show_diagnostics then
    return nil
  end
  local parts = {}
  for severity, icon in pairs(icons) do
    local count = #vim.diagnostic.get(0, { severity = severity })
    if count > 0 then
      table.insert(parts, icon .. count)
    end
  end
  if #parts == 0 then
    return nil
  end
  return table.concat(parts, " ")
end

local function shorten(text, width)
  if #text <= width then
    return text
  end
  return text:sub(1, width - 1) .. "~"
end

function M.render()
  local parts = { "%f%m" }
  local current = branch()
  if current then
    table.insert(parts, shorten(current, 24))
  end
  local problems = diagnostics()
  if problems then
    table.insert(parts, problems)
  end
  table.insert(parts, "%l:%c")
  return shorten(table.concat(parts, M.options.separator), M.options.max_width)
end

return M
