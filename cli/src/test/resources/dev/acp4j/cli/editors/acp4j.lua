-- Agents for CodeCompanion, avante.nvim and agentic.nvim.
-- Written by acp install-into; changes here are lost.
-- agent {"name":"acp4j","command":"/opt/other","args":[],"env":{"A":"b"}}
-- agent {"name":"acp4j, traced","command":"/opt/acp4j/acp","args":["trace","--","/opt/other"],"env":{"A":"b"}}

local agents = {
  {
    name = "acp4j",
    command = "/opt/other",
    args = {},
    env = { ["A"] = "b" },
  },
  {
    name = "acp4j, traced",
    command = "/opt/acp4j/acp",
    args = { "trace", "--", "/opt/other" },
    env = { ["A"] = "b" },
  },
}

local function succeeds()
  return true
end

local function build(adapter, messages, capabilities)
  local helpers = require("codecompanion.adapters.acp.helpers")
  local build_messages = helpers.build_messages or helpers.form_messages
  return build_messages(adapter, messages, capabilities)
end

-- A whole adapter: one that extends another has the environment and the login of that one. A
-- login is made with "acp login", so there is nothing to send to the agent here. The handlers
-- have the names of older and of newer versions of CodeCompanion.
local function adapter(agent)
  local env = {}
  for name, value in pairs(agent.env) do
    env[name] = function()
      return value
    end
  end
  local command = { agent.command }
  for _, word in ipairs(agent.args) do
    command[#command + 1] = word
  end
  return {
    name = agent.name,
    formatted_name = agent.name,
    type = "acp",
    roles = { llm = "assistant", user = "user" },
    opts = { vision = true },
    commands = { default = command },
    defaults = { mcpServers = {}, timeout = 20000 },
    env = env,
    parameters = {
      protocolVersion = 1,
      clientCapabilities = { fs = { readTextFile = true, writeTextFile = true } },
      clientInfo = { name = "CodeCompanion.nvim", version = "1.0.0" },
    },
    handlers = {
      setup = succeeds,
      auth = succeeds,
      form_messages = build,
      on_exit = function() end,
      lifecycle = { setup = succeeds, auth = succeeds },
      request = { build_messages = build },
    },
  }
end

-- avante.nvim passes on the search path and these variables, and not the home folder.
local function with_home(env)
  local all = { HOME = os.getenv("HOME") }
  for name, value in pairs(env) do
    all[name] = value
  end
  return all
end

local M = { codecompanion = {}, avante = {}, agentic = {} }
for _, agent in ipairs(agents) do
  M.codecompanion[agent.name] = function()
    return adapter(agent)
  end
  M.avante[agent.name] = { command = agent.command, args = agent.args, env = with_home(agent.env) }
  M.agentic[agent.name] =
    { name = agent.name, command = agent.command, args = agent.args, env = agent.env }
end
return M
