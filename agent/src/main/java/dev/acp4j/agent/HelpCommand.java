package dev.acp4j.agent;

/** {@code /help}: what the agent can do. */
final class HelpCommand implements Command {
    @Override
    public String name() {
        return "help";
    }

    @Override
    public String description() {
        return "Describe what this agent can do";
    }

    @Override
    public String hint() {
        return "";
    }

    @Override
    public void run(Work work, String arguments) throws InterruptedException {
        StringBuilder text = new StringBuilder("I work on the files of this workspace, without a model and without a "
                + "network: I search, I do not guess. Ask in your own words where something is, for example "
                + "*which files deal with cancellation?* A file that you attach is where I look.\n\n");
        for (Command command : Commands.all()) {
            String call = "/" + command.name() + (command.hint().isEmpty() ? "" : " " + command.hint());
            text.append("- ")
                    .append(Markdown.code(call))
                    .append(": ")
                    .append(command.description())
                    .append('\n');
        }
        text.append("\nBefore I change a file or run a command I ask, unless you allowed it for the session. ");
        text.append("The mode *Read only* forbids both.\n");
        work.say(text.toString());
    }
}
