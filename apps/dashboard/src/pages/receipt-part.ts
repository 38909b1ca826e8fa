import { countOf } from '@mergexo/core/text';
import type { AgentUse } from '@mergexo/state';
import { type Html, html } from '../html.js';
import { formatCount, formatDuration, formatMoney } from './format.js';

export type Fact = { name: string; value: Html | null | undefined | '' | false };

/** Renders a list of facts. Leaves out the facts without a value. */
export function renderFacts(facts: readonly Fact[]): Html {
  return html`<dl class="facts">${facts.map(({ name, value }) => (value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : html``))}</dl>`;
}

/** Lists what agents used: the cost, the agents with their models, tokens and time. */
export function listReceipt(use: AgentUse): Fact[] {
  const { agents, durationMs } = use;
  if (use.attempts === 0) return [];
  return [
    { name: 'Cost', value: html`${describeCost(use)}` },
    { name: 'Agent', value: agents !== null && html`<bdi>${describeAgents(agents)}</bdi>` },
    { name: 'Tokens', value: html`${describeTokens(use)}` },
    { name: 'Agent time', value: durationMs !== null && html`${formatDuration(durationMs)}` },
  ];
}

/** A cost that no agent reported and that no price determines is unknown, not zero. */
export function describeCost({ attempts, attemptsWithoutCost, costUsd }: AgentUse): string {
  if (attemptsWithoutCost === 0) return formatMoney(costUsd);
  if (attempts === attemptsWithoutCost) return 'unknown';
  return `${formatMoney(costUsd)}, plus ${countOf(attemptsWithoutCost, 'attempt')} of unknown cost`;
}

export function describeTokens({
  inputTokens,
  cachedTokens,
  outputTokens,
}: Pick<AgentUse, 'inputTokens' | 'cachedTokens' | 'outputTokens'>): string {
  const cached = cachedTokens === null ? '' : ` (${formatCount(cachedTokens)} cached)`;
  return `${formatCount(inputTokens)} in${cached}, ${formatCount(outputTokens)} out`;
}

export function describeAgents(agents: string): string {
  return agents.split(',').join(', ');
}
