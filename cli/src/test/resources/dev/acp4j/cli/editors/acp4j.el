;;; acp4j.el --- Agents for agent-shell  -*- lexical-binding: t; -*-

;;; Commentary:

;; Written by acp install-into; changes here are lost.
;; agent {"name":"acp4j","command":"/opt/other","args":[],"env":{"A":"b"}}
;; agent {"name":"acp4j, traced","command":"/opt/acp4j/acp","args":["trace","--","/opt/other"],"env":{"A":"b"}}

;;; Code:

(require 'seq)

(defvar agent-shell-agent-configs)
(declare-function agent-shell-make-agent-config "agent-shell")
(declare-function acp-make-client "acp")

(defun acp4j--config (name command params environment)
  "Return the configuration of the agent NAME.
COMMAND with PARAMS starts it, with the variables of ENVIRONMENT."
  (let ((prompt (concat name "> ")))
    (agent-shell-make-agent-config
     :identifier (intern name)
     :mode-line-name name
     :buffer-name name
     :shell-prompt prompt
     :shell-prompt-regexp (regexp-quote prompt)
     :client-maker (lambda (buffer)
                     (acp-make-client :context-buffer buffer
                                      :command command
                                      :command-params params
                                      :environment-variables environment)))))

(defun acp4j--add (config)
  "Add CONFIG to agent-shell, in place of an older one with its identifier."
  (let ((identifier (cdr (assq :identifier config))))
    (setq agent-shell-agent-configs
          (append (seq-remove (lambda (other)
                                (and (consp other)
                                     (eq identifier (cdr (assq :identifier other)))))
                              agent-shell-agent-configs)
                  (list config)))))

(with-eval-after-load 'agent-shell
  (dolist (agent '(("acp4j" "/opt/other" () ("A=b"))
                   ("acp4j, traced" "/opt/acp4j/acp" ("trace" "--" "/opt/other") ("A=b"))))
    (acp4j--add (apply #'acp4j--config agent))))

(provide 'acp4j)
;;; acp4j.el ends here
