-- A status line of pieces, such as that above the panel. The least important go where there
-- is no room for all.
local M = {}

---@class emendo.Piece of a line
---@field text string
---@field group string
---@field weight integer the pieces with the largest go first when there is no room

--- Removes the least important pieces until the others fit.
---@param pieces emendo.Piece[]
---@param room integer columns
---@param between? integer columns after each piece, by default one
---@return emendo.Piece[]
---@return integer left columns that are not used
function M.fit(pieces, room, between)
  pieces = vim.list_extend({}, pieces)
  while true do
    local used, worst = 0, nil
    for i, p in ipairs(pieces) do
      used = used + vim.fn.strdisplaywidth(p.text) + (between or 1)
      if not worst or p.weight > pieces[worst].weight then
        worst = i
      end
    end
    if used <= room or not worst then
      return pieces, room - used
    end
    table.remove(pieces, worst)
  end
end

--- Renders pieces as a status line.
---@param pieces emendo.Piece[]
---@param between? string by default one blank
function M.render(pieces, between)
  local texts = vim.tbl_map(function(p)
    return ('%%#%s#%s'):format(p.group, (p.text:gsub('%%', '%%%%')))
  end, pieces)
  return table.concat(texts, between or '%#EmendoLine# ') .. '%#EmendoLine# '
end

return M
