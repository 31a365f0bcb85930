-- Times of the server.
local M = {}

--- Returns the seconds since the server's clock showed a time.
---@param at string RFC 3339 in UTC
function M.since(at)
  local y, mo, d, h, mi, s = at:match('(%d+)-(%d+)-(%d+)T(%d+):(%d+):(%d+)')
  local now = os.time(os.date('!*t') --[[@as osdateparam]])
  return math.max(0, now - os.time({ year = y, month = mo, day = d, hour = h, min = mi, sec = s, isdst = false }))
end

return M
