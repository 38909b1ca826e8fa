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
} from './agent.js';
export { type Asked, askAgent, type Question } from './ask-agent.js';
export { type Agents, type AgentsOptions, createAgents, type FoundAgent } from './create-agents.js';
export { type EndedOrphans, endOrphans } from './end-orphans.js';
export type { Environment } from './environment.js';
export { type AgentReport, type InspectOptions, inspectAgents } from './inspect-agents.js';
export { inspectTests } from './inspect-tests.js';
export type { Host } from './run-confined.js';
export { explainTestProgram, runRequiredTests, type TestsJob, type TestsRun } from './run-tests.js';
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
} from './sandbox.js';
export type { Limits } from './watch-limits.js';
