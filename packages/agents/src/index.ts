export { probeCommandSandbox } from './claude/command-sandbox.js';
export { listCodexNotices, probeCodexSandbox } from './codex/codex-sandbox.js';
export { type Agents, type AgentsOptions, createAgents } from './create-agents.js';
export { inspectAgents, inspectTests } from './inspect-agents.js';
export { readHostRule } from './network/host-rule.js';
export { endOrphans } from './run/end-orphans.js';
export { explainProgram, type ProgramRun, runRepositoryProgram } from './run/run-repository-program.js';
export {
  chooseTestsSandbox,
  listNodePaths,
  probeBubblewrap,
  type TestsNetwork,
  type TestsSandboxChoice,
} from './sandbox/sandbox.js';
export {
  type Agent,
  type AgentEvent,
  type AgentFailed,
  type AgentRun,
  type AgentUsage,
  type CommandAccess,
  NO_USAGE,
  type TurnContext,
} from './turn/agent.js';
