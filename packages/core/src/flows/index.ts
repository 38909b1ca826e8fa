export { labelOf, listFlowLabels } from './choose-flow.js';
export { FLOW_TRAITS, FLOWS, type Flow, type LabelKey, type Labels, listStartWords } from './flow.js';
export { buildBranchName, buildDesignDocPath } from './run-name.js';
