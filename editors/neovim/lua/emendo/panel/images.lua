-- Images for a prompt: from a file, or from the clipboard with a program of the
-- desktop.
local attachments = require('emendo.session.attachments')
local messages = require('emendo.messages')
local project = require('emendo.server.project')
local words = require('emendo.words')

local M = {}

-- The maximum number of bytes of an image before it is encoded, and the timeout of the
-- program that reads the clipboard, in milliseconds.
local most, longest = 5 * 1024 * 1024, 5000

---@class emendo.Clipboard a program that writes the clipboard's image to its output
---@field cmd string[]
---@field package string what to install where the program is missing
---@field base64? boolean it writes base64

local powershell = table.concat({
  'Add-Type -AssemblyName System.Windows.Forms,System.Drawing',
  '$image = [System.Windows.Forms.Clipboard]::GetImage()',
  'if ($image) { $stream = New-Object System.IO.MemoryStream',
  '$image.Save($stream, [System.Drawing.Imaging.ImageFormat]::Png)',
  '[Console]::Out.Write([Convert]::ToBase64String($stream.ToArray())) }',
}, '; ')

--- Returns the program that reads the clipboard on this system, or the reason why emendo
--- cannot read it.
---@return emendo.Clipboard?
---@return string? reason
local function clipboard()
  if vim.fn.has('mac') == 1 then
    return { cmd = { 'pngpaste', '-' }, package = words.pngpaste }
  elseif vim.fn.has('win32') == 1 or vim.env.WSL_DISTRO_NAME then
    return { cmd = { 'powershell.exe', '-NoProfile', '-NonInteractive', '-Sta', '-Command', powershell }, package = 'PowerShell', base64 = true }
  elseif vim.env.WAYLAND_DISPLAY then
    return { cmd = { 'wl-paste', '--type', 'image/png' }, package = 'wl-clipboard' }
  elseif vim.env.DISPLAY then
    return { cmd = { 'xclip', '-selection', 'clipboard', '-t', 'image/png', '-o' }, package = 'xclip' }
  end
  return nil, words.no_clipboard
end

-- How the images begin that models accept.
local beginnings = { png = '^\137PNG\r\n\26\n', jpeg = '^\255\216\255', gif = '^GIF8[79]a', webp = '^RIFF....WEBP' }

--- Returns the media type of an image by its first bytes; nil if models do not accept it.
local function type_of(data)
  for kind, beginning in pairs(beginnings) do
    if data:match(beginning) then
      return 'image/' .. kind
    end
  end
end

local function size(bytes)
  return bytes < 1e6 and ('%d KB'):format(math.max(1, math.floor(bytes / 1e3 + 0.5))) or ('%.1f MB'):format(bytes / 1e6)
end

--- Attaches an image to the next question.
---@param bytes? integer its size, if data is only the beginning
local function attach(data, name, bytes)
  bytes = bytes or #data
  local kind = type_of(data)
  if not kind then
    return messages.error(words.not_image:format(name))
  elseif bytes > most then
    return messages.error(words.too_large:format(name, size(bytes), size(most)))
  end
  local shown = ('%s (%s)'):format(name, size(#data))
  attachments.attach({ { name = shown, block = { type = 'image', mimeType = kind, data = vim.base64.encode(data) } } })
  messages.info(words.attached:format(shown))
end

--- Attaches an image file.
local function file(path)
  path = project.typed(path)
  local f, err = io.open(path, 'rb')
  if not f then
    return messages.error(tostring(err))
  end
  local data = f:read(most) or ''
  local bytes = f:seek('end')
  f:close()
  attach(data, vim.fs.basename(path), bytes)
end

--- Attaches an image file, or the image in the clipboard.
---@param path? string
function M.paste(path)
  if path then
    return file(path)
  end
  local program, reason = clipboard()
  if not program then
    return messages.error(reason --[[@as string]])
  elseif vim.fn.executable(program.cmd[1]) ~= 1 then
    return messages.error(words.no_reader:format(program.cmd[1], program.package))
  end
  vim.system(program.cmd, { timeout = longest }, function(result)
    vim.schedule(function()
      local data = result.code == 0 and result.stdout or ''
      if program.base64 then
        local ok, decoded = pcall(vim.base64.decode, (data:gsub('%s', '')))
        data = ok and decoded or ''
      end
      if data == '' then
        local said = vim.trim((result.stderr or ''):match('[^\r\n]*') or '')
        return messages.warn(words.no_image .. (said ~= '' and (' (%s: %s)'):format(program.cmd[1], said) or ''))
      end
      attach(data, 'image')
    end)
  end)
end

return M
