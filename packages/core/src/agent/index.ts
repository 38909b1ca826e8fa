export { ADAPTER_NAMES, type AdapterName, toAdapterName } from './adapter-name.js';
export { type AgentOutput, type AgentOutputs, buildOutputSchema } from './agent-output.js';
export { AGENT_PROTOCOL, AgentAnswer, AgentRequest } from './agent-request.js';
export {
  AgentStep,
  buildStep,
  buildUsageStep,
  MAX_STEP_TEXT,
  MAX_STEPS,
  STEP_NAMES,
  StepKind,
} from './agent-step.js';
export { buildRepairRequest } from './build-repair-request.js';
export { parseAgentOutput } from './parse-agent-output.js';
export { buildEmptyPackage, TurnPackage } from './turn-package.js';
