import type { Config } from '@mergexo/config';
import type { Prices } from '@mergexo/core/cost';
import type { LedgerMessage } from '@mergexo/core/ledger';
import { buildCommitAuthor, type CommitAuthor } from '@mergexo/core/runs';
import type { ConnectTools } from './connect/connect-fleet.js';
import { createRefresh } from './create-refresh.js';
import { type pollOnce, RECENT_MS } from './cycle.js';
import { answerLedger } from './ledger/answer-ledger.js';
import { createUploads } from './ledger/create-uploads.js';
import { createHolderSilence } from './ledger/holder-silence.js';
import { createReportLimit } from './ledger/report-limit.js';
import type { WorkerTokens } from './ledger/tokens/worker-tokens.js';
import { createAgentsOf } from './lifecycle/agent-limits.js';

const monotonicNow = (): number => performance.now();
const now = (): number => Date.now();

export type Polling = Pick<
  Parameters<typeof pollOnce>[0],
  'state' | 'link' | 'keys' | 'config' | 'now' | 'log' | 'pauses' | 'rhythm'
> & { tokens?: WorkerTokens | undefined };

/** Messages that cannot make a new turn due. */
const ROUTINE: ReadonlySet<string> = new Set<LedgerMessage['kind']>([
  'heartbeat',
  'progress',
  'attachment',
  'credential',
  'steps',
]);

/**
 * Creates the function that answers ledger messages. An operator's retry wakes the queue, and a finished plan wakes
 * the outbox.
 */
export function createAnswer(
  polling: Polling,
  hearingSince: () => number,
  wake: { queue: () => void; post: () => void },
): ConnectTools['answer'] {
  const { state, link, keys, config, log, pauses, rhythm, tokens: workerTokens } = polling;
  const windowMs = config.runtime.visibilityWindowSeconds * 1_000;
  const refresh = createRefresh(() => {
    const connected = link.connected();
    if (connected === undefined) return undefined;
    const { viewer } = connected;
    const repos = () => connected.repos;
    const { github } = link;
    const { leftMs: pauseMs } = pauses;
    const { limits } = polling.config;
    return { state, github, keys, viewer, repos, now, windowMs, recentMs: RECENT_MS, limits, pauseMs, log };
  });
  const author = (): CommitAuthor | undefined =>
    buildCommitAuthor(link.connected()?.viewer, config.github.apiUrl, config.github);
  const agentsOf = createAgentsOf(state, config.repos);
  const silence = createHolderSilence({ monotonicNow, hearingSince });
  const mayReport = createReportLimit(monotonicNow);
  const uploads = createUploads({ state, link, apiUrl: config.github.apiUrl });
  const billing = { limits: () => polling.config.limits, prices: () => pricesOf(polling.config) };
  const own = { tokens: workerTokens, now, log };
  const tools = { ...own, state, silence, mayReport, keys, agentsOf, refresh, author, uploads, billing };
  return async (verified, queue) => {
    const answered = await answerLedger({ ...tools, queue }, verified);
    if (ROUTINE.has(Object(verified.message).kind)) return answered;
    rhythm.noteActivity();
    wake.post();
    if (answered.kind === 'reset' || answered.kind === 'steered') wake.queue();
    return answered;
  };
}

const pricesOf = ({ prices }: Config): Prices => new Map(prices.map(({ model, ...price }) => [model, price]));
