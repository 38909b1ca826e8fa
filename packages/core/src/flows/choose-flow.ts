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

/** Returns the labels that request work, with the names from the repository's configuration. */
export function listFlowLabels(names: Labels): FlowLabel[] {
  return FLOWS.flatMap((flow) => {
    const { label } = FLOW_TRAITS[flow];
    return label === null ? [] : [{ ...label, flow, name: names[label.key] }];
  });
}

/** Returns the label of a flow; undefined for a flow without a label. */
export function labelOf(flow: Flow, names: Labels): string | undefined {
  return listFlowLabels(names).find((label) => label.flow === flow)?.name;
}

/** Returns the flow that an issue's labels request; undefined if no label requests one. */
export function chooseFlow(labels: readonly string[], names: Labels): Flow | undefined {
  return listFlowLabels(names)
    .filter(({ name }) => hasLabel(labels, name))
    .sort((a, b) => a.precedence - b.precedence)[0]?.flow;
}
