import type { Sandbox } from '../sandbox/sandbox.js';
import { type HostRule, type Network, readHostRule } from './host-rule.js';

export type NetworkMode = 'model-only' | 'allow-list' | 'all';

/** The operator's settings. Without `network`, MergeXO restricts the network where it can. */
export type NetworkSettings = { network?: NetworkMode | undefined; allowedHosts: readonly string[] };

/** The hosts of an adapter's model. */
export type Model =
  | { kind: 'known'; rules: readonly HostRule[] }
  /** MergeXO knows the program, but not all hosts of the configured provider. */
  | { kind: 'other'; rules: readonly HostRule[]; reason: string }
  /** MergeXO does not know the program. */
  | { kind: 'unknown' };

type Circumstances = {
  sandbox: Sandbox;
  model: Model;
  /** The name of a variable that makes the agent use the operator's own proxy. */
  proxyVariable: string | undefined;
};

export type NetworkChoice =
  | { kind: 'chosen'; network: Network; description: string }
  | { kind: 'refused'; reason: string };

/** Never weakens a policy that the operator set: if the policy cannot be enforced, the agent does not start. */
export function chooseNetwork(settings: NetworkSettings, about: Circumstances): NetworkChoice {
  const { network: mode, allowedHosts } = settings;
  const { model } = about;
  if (mode === 'all' || (mode === undefined && model.kind === 'unknown')) return shareAll('');
  const obstacle = findObstacle(mode ?? 'model-only', about);
  if (mode === undefined && obstacle !== undefined) return shareAll(`, because ${obstacle}`);
  if (obstacle !== undefined) {
    const reason = `\`network = "${mode}"\` in [sandbox] does not work here: ${obstacle}`;
    return { kind: 'refused', reason: `${reason}. Change this, or set \`network = "all"\`` };
  }
  const known = model.kind === 'unknown' ? [] : model.rules;
  const listed = mode === 'allow-list' ? allowedHosts.map(readHostRule) : [];
  const rules = [...known, ...listed];
  const names = [...new Set(rules.map(({ host }) => host))].join(', ') || 'no host';
  return { kind: 'chosen', network: rules, description: `network: ${mode ?? 'model-only'} (${names})` };
}

const shareAll = (reason: string): NetworkChoice => ({
  kind: 'chosen',
  network: 'all',
  description: `network: all${reason}`,
});

function findObstacle(mode: NetworkMode, about: Circumstances): string | undefined {
  const { sandbox, model, proxyVariable } = about;
  if (sandbox.kind !== 'bwrap')
    return 'only bubblewrap can restrict the network, and this agent runs without it';
  if (proxyVariable !== undefined)
    return `\`pass_env\` sends the agent to your own proxy (${proxyVariable}), and MergeXO's proxy cannot use another one`;
  if (mode === 'allow-list') return undefined;
  if (model.kind === 'unknown')
    return 'MergeXO does not know the model of this agent; use "allow-list" with `allowed_hosts`';
  return model.kind === 'other' ? model.reason : undefined;
}
