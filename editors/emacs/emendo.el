;;; emendo.el --- Converse with emendo and review its changes  -*- lexical-binding: t -*-

;; Version: 0.1.0
;; Package-Requires: ((emacs "30.1"))
;; Keywords: tools, languages
;; URL: https://github.com/emendo-dev/emendo
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; emendo is a coding agent that is a language server, so eglot alone can use it.  This
;; package adds what eglot has no commands for: keys, a mode for chat documents, and
;; proposed changes that are drawn into the code.
;;
;;     (require 'emendo)
;;     (emendo-setup)

;;; Code:

(require 'cl-lib)
(require 'eglot)
(require 'flymake)

(defgroup emendo nil
  "A coding agent that is a language server."
  :group 'tools)

(defcustom emendo-program '("emendo" "lsp")
  "The program that eglot starts, and its arguments."
  :type '(repeat string))

(defcustom emendo-modes '(prog-mode text-mode)
  "The major modes in which `emendo-setup' makes emendo the server of eglot."
  :type '(repeat symbol))

(defcustom emendo-draw t
  "Whether proposed changes are drawn into the code."
  :type 'boolean)

(defface emendo-removed '((t :inherit diff-removed :extend t))
  "Lines that a proposed change removes.")

(defface emendo-added '((t :inherit diff-added :extend t))
  "Lines that a proposed change adds.")

(defface emendo-hint '((t :inherit shadow))
  "The keys that decide about a proposed change.")

(defface emendo-heading '((t :inherit outline-1))
  "The headings of a chat document.")

(defface emendo-question '((t :inherit warning))
  "A line of a chat document that asks for permission.")

;;;; The server

(defun emendo-server ()
  "Return the emendo that serves the current buffer, or signal an error."
  (or (eglot-current-server)
      (user-error "No server in this buffer: start emendo with M-x eglot")))

(defun emendo-uri ()
  "Return the URI of the current buffer's file."
  (eglot-path-to-uri (or buffer-file-name (user-error "This buffer has no file"))))

(defun emendo-run (command &rest arguments)
  "Run COMMAND of the server, with a property list of ARGUMENTS."
  (eglot-execute (emendo-server)
                 (list :title command :command (concat "emendo." command)
                       :arguments (if arguments (vector arguments) []))))

(defun emendo--line (position)
  "Return the number of the line at POSITION, counted from 0."
  (1- (line-number-at-pos position t)))

(defun emendo--lines ()
  "Return the range of the lines of the region."
  (list :start (list :line (emendo--line (region-beginning)) :character 0)
        :end (list :line (1+ (emendo--line (max (point-min) (1- (region-end))))) :character 0)))

;;;; Commands

(defun emendo-ask (prompt)
  "Ask PROMPT, about the lines of the region if there is one."
  (interactive "sAsk emendo: ")
  (if (use-region-p)
      (emendo-run "ask" :prompt prompt :uri (emendo-uri) :range (emendo--lines))
    (emendo-run "ask" :prompt prompt)))

(defun emendo-edit (instruction)
  "Have the lines of the region, or the current line, edited by INSTRUCTION."
  (interactive "sEdit with emendo: ")
  (let ((range (if (use-region-p)
                   (emendo--lines)
                 (let ((line (emendo--line (point))))
                   (list :start (list :line line :character 0) :end (list :line (1+ line) :character 0))))))
    (emendo-run "edit" :uri (emendo-uri) :range range :instruction instruction)))

(defun emendo-chat ()
  "Open the conversation."
  (interactive)
  (emendo-run "chat"))

(defun emendo-send ()
  "Send the question at the end of the chat document."
  (interactive)
  (emendo-run "send" :uri (emendo-uri)))

(defun emendo-new-session ()
  "Begin a new conversation."
  (interactive)
  (emendo-run "newSession"))

(defun emendo-cancel ()
  "End what emendo is doing."
  (interactive)
  (emendo-run "cancel"))

(defun emendo-next ()
  "Go to the next proposed change, in whatever file."
  (interactive)
  (emendo-run "nextHunk"))

(defun emendo-previous ()
  "Go to the previous proposed change, in whatever file."
  (interactive)
  (emendo-run "prevHunk"))

(defun emendo-accept ()
  "Accept the proposed change at point."
  (interactive)
  (emendo--decide "accept"))

(defun emendo-reject ()
  "Reject the proposed change at point."
  (interactive)
  (emendo--decide "reject"))

(defun emendo-accept-all ()
  "Accept all proposed changes."
  (interactive)
  (emendo-run "acceptAll"))

(defun emendo-reject-all ()
  "Reject all proposed changes."
  (interactive)
  (emendo-run "rejectAll"))

(defun emendo-permission ()
  "Go to what emendo asks."
  (interactive)
  (emendo-run "permission"))

(defun emendo-answer ()
  "Answer the question at point."
  (interactive)
  (eglot-code-actions (point) nil "quickfix.emendo.permission" t))

(defun emendo-trust ()
  "Trust the folder, once you have confirmed it."
  (interactive)
  (emendo-run "trust"))

;;;; The session

(defun emendo--request (method &rest params)
  "Return the server's answer to the request METHOD with a property list of PARAMS."
  (jsonrpc-request (emendo-server) method (or params eglot--{})))

(defconst emendo-modes-of-sessions '("default" "auto_edit" "plan" "yolo")
  "The modes of a session, from the one that asks about everything.")

(defun emendo-set-mode (mode)
  "Set the MODE of the session, which decides what needs your approval."
  (interactive (list (completing-read "Mode: " emendo-modes-of-sessions nil t)))
  (emendo-run "setMode" :mode mode)
  (message "The mode is %s" mode))

(defun emendo-set-model (model)
  "Set the MODEL of the session."
  (interactive
   (list (completing-read "Model: " (mapcar (lambda (model) (plist-get model :id))
                                            (plist-get (emendo--request :emendo/models/list) :models)))))
  (emendo-run "setModel" :model model)
  (message "The model is %s" model))

(defun emendo--prompts ()
  "Return the prompts of the session, the newest first, with their turns."
  (let* ((answer (emendo--request :workspace/executeCommand :command "emendo.rewind" :arguments []))
         (prompts (append (plist-get answer :prompts) nil))
         (left (length prompts)))
    (mapcar (lambda (prompt)
              (prog1 (cons (format "%d: %s" left (plist-get prompt :text)) (plist-get prompt :turnId))
                (setq left (1- left))))
            prompts)))

(defun emendo-rewind (turn scope)
  "Go back to before the prompt of TURN.
SCOPE is what goes back: conversation, files or both."
  (interactive
   (let ((prompts (or (emendo--prompts) (user-error "There is no prompt to go back to"))))
     (list (alist-get (completing-read "Go back to before: " prompts nil t) prompts nil nil #'equal)
           (completing-read "What goes back: " '("both" "conversation" "files") nil t nil nil "both"))))
  (emendo-run "rewind" :turnId turn :scope scope))

;;;; Review

(defvar-local emendo--changes nil
  "The overlays of the pending changes of the current buffer.")

(defun emendo--clear ()
  "Remove the drawn changes of the current buffer."
  (mapc #'delete-overlay emendo--changes)
  (setq emendo--changes nil))

(defun emendo--draw (id hunk)
  "Draw a pending HUNK of the change set ID into the current buffer."
  (pcase-let* ((`(,beg . ,end) (eglot-range-region (plist-get hunk :range)))
               (new (plist-get hunk :newText))
               (overlay (make-overlay beg end nil t)))
    (overlay-put overlay 'emendo (list :changeSetId id :hunkId (plist-get hunk :hunkId)))
    (when emendo-draw
      (overlay-put overlay 'face (and (< beg end) 'emendo-removed))
      (overlay-put overlay (if (< beg end) 'after-string 'before-string)
                   (concat (emendo--added new (save-excursion (goto-char end) (bolp)))
                           (emendo--hint))))
    (push overlay emendo--changes)))

(defun emendo--added (text bol)
  "Return TEXT as it is drawn, behind a line end unless BOL."
  (if (string-empty-p text)
      ""
    (concat (unless bol "\n")
            (propertize (if (string-suffix-p "\n" text) text (concat text "\n")) 'face 'emendo-added))))

(defun emendo--hint ()
  "Return a line with the keys that decide about a change."
  (propertize (substitute-command-keys
               "\\<eglot-mode-map>▲ \\[emendo-accept] accepts, \\[emendo-reject] rejects\n")
              'face 'emendo-hint))

(defun emendo--redraw (buffer answer)
  "Draw the pending changes of ANSWER into BUFFER."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (emendo--clear)
      (save-excursion
        (save-restriction
          (widen)
          (cl-loop for set across (plist-get answer :changeSets) do
                   (cl-loop for file across (plist-get set :files)
                            when (equal (plist-get file :uri) (emendo-uri)) do
                            (cl-loop for hunk across (plist-get file :hunks)
                                     when (equal (plist-get hunk :state) "pending") do
                                     (emendo--draw (plist-get set :changeSetId) hunk)))))))))

(cl-defmethod eglot-handle-notification :after
  (server (_method (eql textDocument/publishDiagnostics)) &key uri &allow-other-keys)
  "Draw the pending changes of the file URI again, whose SERVER changed its marks."
  (when-let* ((buffer (find-buffer-visiting (eglot-uri-to-path uri)))
              ((with-current-buffer buffer (eglot-server-capable :experimental :emendo))))
    (jsonrpc-async-request
     server :emendo/changes/list (list :uri uri :state "pending")
     :success-fn (lambda (answer) (emendo--redraw buffer answer))
     :error-fn #'ignore)))

(defun emendo--change ()
  "Return the overlay of the proposed change at point."
  (or (cl-find-if (lambda (overlay)
                    (<= (overlay-start overlay) (point) (max (overlay-start overlay) (1- (overlay-end overlay)))))
                  emendo--changes)
      (cl-find-if (lambda (overlay)
                    (<= (save-excursion (goto-char (overlay-start overlay)) (pos-bol))
                        (point) (overlay-end overlay)))
                  emendo--changes)
      (user-error "There is no proposed change here: C-c e n goes to the next")))

(defun emendo--decide (how)
  "Have HOW, accept or reject, decide about the change at point."
  (apply #'emendo-run how (overlay-get (emendo--change) 'emendo)))

;;;; Chat documents

(defvar emendo-chat-mode-map
  (let ((map (make-sparse-keymap)))
    (keymap-set map "C-c C-c" #'emendo-send)
    (keymap-set map "C-c C-k" #'emendo-cancel)
    (keymap-set map "C-c C-a" #'emendo-answer)
    map)
  "Keys in chat documents.")

(defvar emendo-chat--keywords
  '(("^## \\(?:You\\|emendo\\)$" . 'emendo-heading)
    ("^- \\*\\*Allow\\?\\*\\*.*$" . 'emendo-question)
    ("^> \\*\\*\\(?:Note\\|Warning\\|Error\\):\\*\\*.*$" . 'emendo-hint))
  "What is highlighted in chat documents.")

;;;###autoload
(define-derived-mode emendo-chat-mode text-mode "emendo"
  "Major mode for chat documents, whose names end in .emendo.md."
  (setq-local font-lock-defaults '(emendo-chat--keywords t)
              outline-regexp "## "
              require-final-newline nil)
  (visual-line-mode)
  (outline-minor-mode))

(put 'emendo-chat-mode 'eglot-language-id "markdown")

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.emendo\\.md\\'" . emendo-chat-mode))

;;;; Keys

(defvar-keymap emendo-map
  :doc "The keys behind the prefix of emendo."
  "e" #'emendo-ask
  "i" #'emendo-edit
  "a" #'eglot-code-actions
  "m" #'emendo-chat
  "s" #'emendo-send
  "n" #'emendo-next
  "p" #'emendo-previous
  "y" #'emendo-accept
  "x" #'emendo-reject
  "Y" #'emendo-accept-all
  "X" #'emendo-reject-all
  "q" #'emendo-permission
  "r" #'emendo-answer
  "d" #'flymake-goto-next-error
  "k" #'emendo-cancel
  "o" #'emendo-set-mode
  "l" #'emendo-set-model
  "u" #'emendo-rewind
  "t" #'emendo-trust)

;;;###autoload
(defun emendo-setup (&optional prefix)
  "Have eglot start emendo in `emendo-modes', with its keys behind PREFIX.
The prefix is C-c e if it is nil."
  (add-to-list 'eglot-server-programs (cons emendo-modes emendo-program))
  (add-hook 'emendo-chat-mode-hook #'eglot-ensure)
  (keymap-set eglot-mode-map (or prefix "C-c e") emendo-map))

(provide 'emendo)
;;; emendo.el ends here
