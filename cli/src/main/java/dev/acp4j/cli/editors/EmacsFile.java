package dev.acp4j.cli.editors;

import java.util.List;
import java.util.stream.Collectors;

/** The file of Emacs Lisp that adds agents to agent-shell. */
final class EmacsFile {
    static final AgentsText TEXT = new GeneratedText(";;", EmacsFile::code);

    private EmacsFile() {}

    private static String code(String agents, List<AgentEntry> entries) {
        return """
                ;;; acp4j.el --- Agents for agent-shell  -*- lexical-binding: t; -*-

                ;;; Commentary:

                %s
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
                  (dolist (agent '(%s))
                    (acp4j--add (apply #'acp4j--config agent))))

                (provide 'acp4j)
                ;;; acp4j.el ends here
                """.formatted(
                agents, entries.stream().map(EmacsFile::agent).collect(Collectors.joining("\n" + " ".repeat(19))));
    }

    private static String agent(AgentEntry entry) {
        String env = entry.env().entrySet().stream()
                .map(variable -> quoted(variable.getKey() + "=" + variable.getValue()))
                .collect(Collectors.joining(" "));
        String args = entry.args().stream().map(EmacsFile::quoted).collect(Collectors.joining(" "));
        return "(" + quoted(entry.name()) + " " + quoted(entry.command()) + " (" + args + ") (" + env + "))";
    }

    static String quoted(String text) {
        return GeneratedText.quoted(text, "\\%03o");
    }
}
