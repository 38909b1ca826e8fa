export { listCodexNotices, probeCodexSandbox } from './codex/codex-sandbox.js';
export { type Agents, type AgentsOptions, createAgents } from './create-agents.js';
export { inspectAgents, inspectTests } from './inspect-agents.js';
export { readHostRule } from './network/host-rule.js';
export { endOrphans } from './run/end-orphans.js';
export { explainTestProgram, runRequiredTests, type TestsRun } from './run/run-tests.js';
export {
  chooseTestsSandbox,
  listNodePaths,
  probeBubblewrap,
  type TestsSandboxChoice,
} from './sandbox/sandbox.js';
export {
  type Agent,
  type AgentEvent,
  type AgentFailed,
  type AgentRun,
  type AgentUsage,
  NO_USAGE,
  type TurnContext,
} from './turn/agent.js';
