;;; emendo-tests.el --- Tests of emendo.el  -*- lexical-binding: t -*-

;;; Commentary:

;; emacs -Q --batch -L editors/emacs -l emendo-tests -f ert-run-tests-batch-and-exit

;;; Code:

(require 'ert)
(require 'emendo)

(defmacro emendo-tests--in (text &rest body)
  "Run BODY in a buffer with TEXT that visits a file, without a server.
What BODY has the server execute is collected in `ran'."
  (declare (indent 1))
  `(let ((file (make-temp-file "emendo" nil ".txt" ,text))
         (ran nil))
     (cl-letf (((symbol-function 'emendo-server) (lambda () 'server))
               ((symbol-function 'eglot-execute)
                (lambda (_server command)
                  (push (cons (plist-get command :command) (append (plist-get command :arguments) nil)) ran))))
       (with-current-buffer (find-file-noselect file)
         (unwind-protect (progn (ignore ran) ,@body)
           (set-buffer-modified-p nil)
           (kill-buffer)
           (delete-file file))))))

(defun emendo-tests--range (line end)
  "Return the range from the start of LINE to that of END."
  (list :start (list :line line :character 0) :end (list :line end :character 0)))

(defun emendo-tests--answer (&rest hunks)
  "Return what the server lists for HUNKS of the current file."
  (list :changeSets
        (vector (list :changeSetId "c1"
                      :files (vector (list :uri (emendo-uri) :hunks (vconcat hunks)))))))

(defun emendo-tests--hunk (id range new &optional state)
  "Return a hunk with ID, RANGE, NEW text and STATE."
  (list :hunkId id :range range :newText new :state (or state "pending")))

(defun emendo-tests--shown ()
  "Return the text of the buffer as it is drawn: removed lines begin with -."
  (let ((lines nil))
    (dolist (overlay (sort (copy-sequence emendo--changes)
                           (lambda (a b) (< (overlay-start a) (overlay-start b)))))
      (push (list (buffer-substring-no-properties (overlay-start overlay) (overlay-end overlay))
                  (overlay-get overlay 'face)
                  (substring-no-properties
                   (car (split-string (or (overlay-get overlay 'after-string) (overlay-get overlay 'before-string)) "▲"))))
            lines))
    (nreverse lines)))

(ert-deftest emendo-asks-about-the-region ()
  (emendo-tests--in "one\ntwo\nthree\n"
    (goto-char (point-min))
    (forward-line 1)
    (push-mark (point) t t)
    (end-of-line)
    (let ((transient-mark-mode t) (mark-active t))
      (emendo-ask "Why?"))
    (should (equal ran `(("emendo.ask" (:prompt "Why?" :uri ,(emendo-uri) :range ,(emendo-tests--range 1 2))))))))

(ert-deftest emendo-asks-without-a-region ()
  (emendo-tests--in "one\n"
    (let ((mark-active nil)) (emendo-ask "Why?"))
    (should (equal ran '(("emendo.ask" (:prompt "Why?")))))))

(ert-deftest emendo-edits-the-line ()
  (emendo-tests--in "one\ntwo\n"
    (goto-char (point-max))
    (forward-line -1)
    (let ((mark-active nil)) (emendo-edit "Shorter"))
    (should (equal ran `(("emendo.edit" (:uri ,(emendo-uri) :range ,(emendo-tests--range 1 2) :instruction "Shorter")))))))

(ert-deftest emendo-runs-commands-without-arguments ()
  (emendo-tests--in "one\n"
    (dolist (command '(emendo-chat emendo-new-session emendo-cancel emendo-next emendo-previous
                       emendo-accept-all emendo-reject-all emendo-permission emendo-trust))
      (call-interactively command))
    (should (equal (nreverse (mapcar (lambda (run) (should-not (cdr run)) (car run)) ran))
                   '("emendo.chat" "emendo.newSession" "emendo.cancel" "emendo.nextHunk" "emendo.prevHunk"
                     "emendo.acceptAll" "emendo.rejectAll" "emendo.permission" "emendo.trust")))))

(ert-deftest emendo-chooses-mode-and-model ()
  (emendo-tests--in "one\n"
    (cl-letf (((symbol-function 'jsonrpc-request)
               (lambda (_server method _params)
                 (should (eq method :emendo/models/list))
                 '(:models [(:id "flash") (:id "pro")]))))
      (let ((completing-read-function (lambda (_prompt all &rest _) (car (last all)))))
        (call-interactively #'emendo-set-mode)
        (call-interactively #'emendo-set-model)))
    (should (equal (nreverse ran) '(("emendo.setMode" (:mode "yolo")) ("emendo.setModel" (:model "pro")))))))

(ert-deftest emendo-goes-back ()
  (emendo-tests--in "one\n"
    (let* ((answers (list "1: Raise it" "both"))
           (completing-read-function (lambda (&rest _) (pop answers)))
           (prompts [(:turnId "t2" :text "Raise it") (:turnId "t1" :text "Raise it")]))
      (cl-letf (((symbol-function 'jsonrpc-request) (lambda (&rest _) (list :sessionId "s" :prompts prompts))))
        (call-interactively #'emendo-rewind)
        (setq prompts [])
        (should-error (call-interactively #'emendo-rewind) :type 'user-error)))
    (should (equal ran '(("emendo.rewind" (:turnId "t1" :scope "both")))))))

(ert-deftest emendo-draws-changes ()
  (emendo-tests--in "one\ntwo\nthree"
    (emendo--redraw (current-buffer)
                    (emendo-tests--answer
                     (emendo-tests--hunk "h1" (emendo-tests--range 0 1) "uno\n")
                     (emendo-tests--hunk "h2" (emendo-tests--range 1 1) "and\n")
                     (emendo-tests--hunk "h3" '(:start (:line 2 :character 0) :end (:line 2 :character 5)) "drei")
                     (emendo-tests--hunk "h4" (emendo-tests--range 1 2) "" "accepted")))
    (should (equal (emendo-tests--shown)
                   '(("one\n" emendo-removed "uno\n") ("" nil "and\n") ("three" emendo-removed "\ndrei\n"))))
    (should (equal (buffer-string) "one\ntwo\nthree"))
    (should-not (buffer-modified-p))
    (emendo--redraw (current-buffer) (emendo-tests--answer))
    (should-not (overlays-in (point-min) (point-max)))))

(ert-deftest emendo-draws-nothing-when-disabled ()
  (emendo-tests--in "one\n"
    (let ((emendo-draw nil))
      (emendo--redraw (current-buffer) (emendo-tests--answer (emendo-tests--hunk "h1" (emendo-tests--range 0 1) "uno\n"))))
    (should-not (overlay-get (car emendo--changes) 'face))
    (goto-char (point-min))
    (emendo-accept)
    (should (equal ran '(("emendo.accept" (:changeSetId "c1" :hunkId "h1")))))))

(ert-deftest emendo-decides-about-the-change-at-point ()
  (emendo-tests--in "one\ntwo\nthree\n"
    (emendo--redraw (current-buffer)
                    (emendo-tests--answer (emendo-tests--hunk "h1" (emendo-tests--range 0 1) "uno\n")
                                          (emendo-tests--hunk "h2" (emendo-tests--range 1 2) "due\n")))
    (goto-char (point-min))
    (forward-line 1)
    (emendo-reject)
    (goto-char (point-min))
    (emendo-accept)
    (should (equal ran '(("emendo.accept" (:changeSetId "c1" :hunkId "h1")) ("emendo.reject" (:changeSetId "c1" :hunkId "h2")))))
    (goto-char (point-max))
    (should-error (emendo-accept) :type 'user-error)))

(ert-deftest emendo-ignores-a-killed-buffer ()
  (let ((buffer (generate-new-buffer "gone")))
    (kill-buffer buffer)
    (should-not (emendo--redraw buffer '(:changeSets [])))))

(ert-deftest emendo-opens-chat-documents-in-their-mode ()
  (let ((file (make-temp-file "emendo" nil ".emendo.md" "## You\n\nWhy?\n"))
        (emendo-chat-mode-hook nil))
    (with-current-buffer (find-file-noselect file)
      (unwind-protect
          (progn
            (should (eq major-mode 'emendo-chat-mode))
            (should (eq (key-binding (kbd "C-c C-c")) 'emendo-send))
            (font-lock-ensure)
            (should (eq (get-text-property (point-min) 'face) 'emendo-heading)))
        (kill-buffer)
        (delete-file file)))))

(ert-deftest emendo-setup-makes-it-the-server ()
  (let ((eglot-server-programs nil)
        (emendo-chat-mode-hook nil)
        (eglot-mode-map (make-sparse-keymap)))
    (emendo-setup "C-c C-e")
    (should (equal eglot-server-programs '(((prog-mode text-mode) "emendo" "lsp"))))
    (should (eq (lookup-key eglot-mode-map (kbd "C-c C-e y")) 'emendo-accept))
    (should (memq #'eglot-ensure emendo-chat-mode-hook))))

(provide 'emendo-tests)
;;; emendo-tests.el ends here
