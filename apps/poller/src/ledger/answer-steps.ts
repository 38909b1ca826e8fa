import { type AgentStep, buildUsageStep } from '@mergexo/core/agent';
import { computeCost, type Prices } from '@mergexo/core/cost';
import { isProven, type LedgerAnswer, type StepsMessage } from '@mergexo/core/ledger';
import type { SigningKeys } from '@mergexo/core/outbox';
import { attemptOf, boundUsage } from '@mergexo/core/turns';
import type { Records } from '../tools.js';
import type { Billing } from './book-spend.js';
import { refuseUnproven } from './refuse-message.js';
import type { ReportLimit } from './report-limit.js';

/** How long after the end of a turn its last steps may arrive. */
const LATE_MS = 60_000;

/**
 * Records what the agent does. Changes no turn and does not count as a sign of life, so that a repeated message changes
 * nothing. Accepts the last steps of an attempt even if its result arrives first.
 */
export function answerSteps(
  tools: Records & { keys: SigningKeys; mayReport: ReportLimit; billing: Pick<Billing, 'prices'> },
  message: StepsMessage,
  from: string,
): LedgerAnswer {
  const { state, keys, now } = tools;
  return state.transaction((): LedgerAnswer => {
    const turn = state.readTurn(message.turnKey);
    if (turn === undefined) return { kind: 'refused', reason: 'no such turn' };
    if (!isProven(message, turn, keys.current)) return refuseUnproven(tools, { turn, message, from });
    if (message.attempt !== attemptOf(turn))
      return { kind: 'refused', reason: `attempt ${message.attempt} is not the current one` };
    if (turn.endedAt !== null && now() - turn.endedAt > LATE_MS)
      return { kind: 'refused', reason: 'the turn has ended' };
    const steps = message.steps.map((step) => price(step, tools.billing.prices()));
    state.recordAgentSteps({ ...message, steps }, now());
    return { kind: 'ok' };
  });
}

/** Adds the cost to what the attempt has used so far. `bookSpend` counts the usage only when the attempt ends. */
function price(step: AgentStep, prices: Prices): AgentStep {
  if (step.usage === undefined) return step;
  const usage = boundUsage(step.usage);
  const { cachedTokens = null, model = null } = usage;
  const { costUsd } = computeCost({ ...usage, cachedTokens, model }, prices);
  return buildUsageStep({ ...usage, costUsd });
}
