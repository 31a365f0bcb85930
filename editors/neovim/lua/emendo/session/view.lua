-- A view as the server has told it: items in a tree, and the questions that are open. It knows
-- no buffer; the panel follows its changes.
local position = require('emendo.server.position')

---@class emendo.Text {text: string, code?: string, args?: table, short?: string}

---@class emendo.Item of docs/protocol.md
---@field id string
---@field parent? string
---@field kind string
---@field state? string
---@field look? string
---@field title emendo.Text
---@field note? emendo.Text
---@field lines? table[]
---@field parts? table[]
---@field actions? (string|table)[]

---@class emendo.View
---@field items table<string, emendo.Item> by id
---@field below table<string, string[]> ids below a parent, in order; '' has the top
---@field questions table[] the open ones, the oldest first
---@field hunks table<string, table> by id
---@field version integer
---@field status? emendo.Item
---@field verbs table<string, table> actions that items name by their ids
---@field follow? emendo.Follower
---@field own integer how many notices of the plugin's own there were
local View = {}
View.__index = View

---@class emendo.Follower is told what changes
---@field put fun(item: emendo.Item, new: boolean)
---@field append fun(item: emendo.Item, part: integer, text: string)
---@field drop fun(item: emendo.Item)
---@field reset fun()

function View.new()
  return setmetatable({ items = {}, below = { [''] = {} }, questions = {}, hunks = {}, verbs = {}, version = 0, own = 0 }, View)
end

--- Returns the text of a part. What was appended is joined here, so that a chunk costs no more
--- than an append to a list.
function View.text(part)
  if part.more then
    part.text = (part.text or '') .. table.concat(part.more)
    part.more = nil
  end
  return part.text or ''
end

--- Returns where an id stands in a list, from the end, where it mostly is.
local function index_of(list, id)
  for i = #list, 1, -1 do
    if list[i] == id then
      return i
    end
  end
end

--- Adds an item, or replaces it where it stands.
---@param after? string|false the sibling before it; false: it is the first
function View:put(item, after)
  local before = self.items[item.id]
  local parent = item.parent or ''
  self.below[parent] = self.below[parent] or {}
  if before and not item.parts then
    item.parts = before.parts
  end
  if before and after ~= nil then
    table.remove(self.below[before.parent or ''], index_of(self.below[before.parent or ''], item.id))
  end
  if not before or after ~= nil then
    local list = self.below[parent]
    local at = after == nil and #list or after and index_of(list, after) or 0
    table.insert(list, at + 1, item.id)
  end
  self.items[item.id] = item
  if self.follow then
    self.follow.put(item, before == nil or after ~= nil)
  end
end

local function append(self, change)
  local item = self.items[change.append]
  local part = item.parts[(change.part or 0) + 1]
  part.more = part.more or {}
  table.insert(part.more, change.text)
  local cut = (change.omitted or 0) - (part.omitted or 0)
  if cut ~= 0 then
    local text = View.text(part)
    part.text, part.omitted = text:sub(position.byte(text, cut) + 1), change.omitted
  end
  if self.follow then
    self.follow.append(item, (change.part or 0) + 1, change.text)
  end
end

--- Puts a question into its list.
local function put_question(self, question, after)
  local list = vim.tbl_filter(function(q)
    return q.id ~= question.id
  end, self.questions)
  local at = #list + 1
  for i, q in ipairs(self.questions) do
    if q.id == question.id and after == nil then
      at = i
    elseif q.id == after then
      at = i + 1
    end
  end
  table.insert(list, after == false and 1 or at, question)
  self.questions = list
end

--- Moves the hunks of a document, of which lines came or went: each by the sum of all changes
--- at or above its first line.
local function move(self, change)
  local lines, sums = change.lines or {}, { [0] = 0 }
  for i, at in ipairs(lines) do
    sums[i] = sums[i - 1] + at[2]
  end
  for _, hunk in pairs(self.hunks) do
    local file, range = self.items[hunk.fileId], hunk.range
    if file and file.place.uri == change.move then
      local low, high = 0, #lines -- the last of them at or above the hunk is found by halves
      while low < high do
        local middle = math.ceil((low + high) / 2)
        if lines[middle][1] <= range.start.line then
          low = middle
        else
          high = middle - 1
        end
      end
      range.start.line, range['end'].line = range.start.line + sums[low], range['end'].line + sums[low]
      hunk.version = change.version or hunk.version
    end
  end
end

--- Removes what has an id, with all that is below it.
function View:drop(id)
  self.hunks[id] = nil
  self.questions = vim.tbl_filter(function(q)
    return q.id ~= id
  end, self.questions)
  local item = self.items[id]
  if not item then
    return
  end
  for child in vim.iter(self.below[id] or {}):rev() do -- the last is found at once
    self:drop(child)
  end
  if self.follow then
    self.follow.drop(item)
  end
  local siblings = self.below[item.parent or '']
  table.remove(siblings, index_of(siblings, id))
  self.items[id], self.below[id] = nil, nil
end

--- Applies the changes of emendo/view/didChange.
---@param changes table[]
function View:apply(changes)
  for _, change in ipairs(changes) do
    if change.item then
      self:put(change.item, change.after)
    elseif change.append then
      append(self, change)
    elseif change.question then
      put_question(self, change.question, change.after)
    elseif change.hunk then
      self.hunks[change.hunk.id] = change.hunk
    elseif change.move then
      move(self, change)
    elseif change.status then
      self.status = change.status
    end
    for _, id in ipairs(change.drop or {}) do
      self:drop(id)
    end
  end
end

--- Adds a notice of the plugin's own, which no server has told.
---@param look 'info'|'warning'|'error'
---@param description? string
---@param actions? table[]
function View:notice(look, title, description, actions)
  self.own = self.own + 1
  local parts = description and description ~= '' and { { kind = 'text', text = description } } or nil
  self:put({ id = 'own/' .. self.own, kind = 'notice', look = look, title = { text = title }, parts = parts, actions = actions })
end

--- Removes all items.
function View:reset()
  self.items, self.below = {}, { [''] = {} }
  if self.follow then
    self.follow.reset()
  end
end

--- Begins with what emendo/view/get has answered. What came before is forgotten, but for
--- notices of the plugin's own.
function View:begin(view)
  local own = vim.tbl_filter(function(item)
    return vim.startswith(item.id, 'own/')
  end, self:all())
  self:reset()
  self.version, self.status = view.version, view.status
  self.questions, self.hunks = view.questions or {}, {}
  for _, verb in ipairs(view.verbs or {}) do
    self.verbs[verb.id] = verb
  end
  for _, hunk in ipairs(view.hunks or {}) do
    self.hunks[hunk.id] = hunk
  end
  for _, item in ipairs(vim.list_extend(own, view.items)) do
    self:put(item)
  end
end

--- Adds the items of an earlier page before those that are known.
---@param items emendo.Item[] parents first; what is known already stays
function View:add_earlier(items)
  local last = {} ---@type table<string, string> by parent: the one of this page that was added last
  for _, item in ipairs(items) do
    local parent = item.parent or ''
    if not self.items[item.id] then
      self:put(item, last[parent] or false)
    end
    last[parent] = item.id
  end
end

--- Returns the item that is drawn before one: what a turn came to is drawn after what is below
--- it.
function View:drawn_before(item)
  local inside = item.kind == 'turn' and self.below[item.id]
  local before = inside and self.items[inside[#inside] or '']
  while not before do
    local list = self.below[item.parent or '']
    before = self.items[list[index_of(list, item.id) - 1]]
    if not before then
      item = self.items[item.parent or '']
      if not item or item.kind ~= 'turn' then
        return item
      end
    end
  end
  while before.kind ~= 'turn' and self.below[before.id] and self.below[before.id][1] do
    local list = self.below[before.id]
    before = self.items[list[#list]]
  end
  return before
end

--- Returns the items in the order of the screen.
---@param parent? string
---@param list? emendo.Item[]
function View:all(parent, list)
  list = list or {}
  for _, id in ipairs(self.below[parent or ''] or {}) do
    list[#list + 1] = self.items[id]
    self:all(id, list)
  end
  return list
end

--- Returns the prompts that wait, which stand last, and whether they wait until they are resumed.
function View:queued()
  local list, top = {}, self.below['']
  for i = #top, 1, -1 do
    local item = self.items[top[i]]
    if item.kind == 'queued' then
      table.insert(list, 1, item)
    elseif not vim.startswith(item.id, 'own/') then
      break
    end
  end
  return list, list[1] ~= nil and list[1].state == 'interrupted'
end

--- Returns the description of the queue that is shown above the prompt. Empty if the queue is.
function View:queue_brief()
  local first, line = self:queued()[1], nil
  for _, each in ipairs(first and self.status and self.status.lines or {}) do
    line = each.id == 'queue' and each or line
  end
  return line and (line.text.short or line.text.text) .. ': ' .. first.title.text or ''
end

--- Returns the items of a kind, in order.
function View:of(kind)
  return vim.tbl_filter(function(item)
    return item.kind == kind
  end, self:all())
end

--- Reports whether the conversation has not begun, that is, has nothing but notices.
function View:is_new()
  return vim.iter(self.below['']):all(function(id)
    return self.items[id].kind == 'notice'
  end)
end

--- Returns the actions of an item or a hunk.
---@param of {actions?: (string|table)[]}
function View:actions(of)
  return vim.tbl_map(function(action)
    return type(action) == 'table' and action or self.verbs[action] or { id = action, title = { text = action } }
  end, of.actions or {})
end

return View
