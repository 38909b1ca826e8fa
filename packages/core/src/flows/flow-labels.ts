import { hasLabel } from '../text/has-label.js';
import { FLOW_TRAITS, FLOWS, type Flow, type LabelKey, type Labels } from './flow.js';

export type FlowLabel = {
  flow: Flow;
  key: LabelKey;
  name: string;
  color: string;
  description: string;
  precedence: number;
};

/** The labels that ask for work, under the names that a repository gives them. */
export function listFlowLabels(names: Labels): FlowLabel[] {
  return FLOWS.flatMap((flow) => {
    const { label } = FLOW_TRAITS[flow];
    return label === null ? [] : [{ ...label, flow, name: names[label.key] }];
  });
}

/** Undefined for a flow that no label asks for. */
export function labelOf(flow: Flow, names: Labels): string | undefined {
  return listFlowLabels(names).find((label) => label.flow === flow)?.name;
}

/** The flow that the labels of an issue ask for. */
export function chooseFlow(labels: readonly string[], names: Labels): Flow | undefined {
  return listFlowLabels(names)
    .filter(({ name }) => hasLabel(labels, name))
    .sort((a, b) => a.precedence - b.precedence)[0]?.flow;
}
