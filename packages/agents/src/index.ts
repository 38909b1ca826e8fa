export { type Agents, type AgentsOptions, createAgents, type FoundAgent } from './create-agents.js';
export { type AgentReport, type InspectOptions, inspectAgents } from './inspect-agents.js';
export { inspectTests } from './inspect-tests.js';
export { type EndedOrphans, endOrphans } from './run/end-orphans.js';
export type { Host } from './run/run-confined.js';
export { explainTestProgram, runRequiredTests, type TestsJob, type TestsRun } from './run/run-tests.js';
export type { Limits } from './run/watch-limits.js';
export type { Environment } from './sandbox/environment.js';
export {
  type Bubblewrap,
  chooseSandbox,
  chooseTestsSandbox,
  listNodePaths,
  type OuterSandbox,
  probeBubblewrap,
  type Sandbox,
  type SandboxChoice,
  type SandboxMode,
  type TestsSandboxChoice,
} from './sandbox/sandbox.js';
export {
  AGENT_FAILURES,
  type Agent,
  type AgentEvent,
  type AgentFailed,
  type AgentFailure,
  type AgentRun,
  type AgentUsage,
  NO_USAGE,
  PROGRESS_STEPS,
  type ProgressStep,
  type TurnPlace,
} from './turn/agent.js';
