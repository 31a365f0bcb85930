--- Returns a number of things in words, such as "1 hunk" or "3 hunks".
---@param word string in the singular
---@return string
return function(n, word)
  return ('%d %s%s'):format(n, word, n == 1 and '' or 's')
end
