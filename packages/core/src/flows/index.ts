export { FLOW_TRAITS, FLOWS, type Flow, type LabelKey, type Labels, listStartWords } from './flow.js';
export { labelOf, listFlowLabels } from './flow-labels.js';
export { buildBranchName, buildDesignDocPath } from './run-name.js';
