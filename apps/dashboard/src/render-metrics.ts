import { MERGEXO_CLI } from '@mergexo/core/basics';
import type { Health } from '@mergexo/core/health';
import type { Fleet } from './facts/read-fleet.js';
import type { Totals } from './facts/read-totals.js';
import type { Carrier } from './queues/read-carrier.js';

type Sample = { labels?: Readonly<Record<string, string>>; value: number; suffix?: string };
type Family = {
  name: string;
  type: 'gauge' | 'counter' | 'summary';
  help: string;
  samples: readonly Sample[];
};

export type Measured = {
  state: { fleet: Fleet; totals: Totals; health: Health } | undefined;
  carrier: Carrier | undefined;
};

/** Renders the metrics in Prometheus text format. Omits unknown values, because zero would be wrong. */
export function renderMetrics({ state, carrier }: Measured): string {
  const families: Family[] = [
    gauge('state_up', '1 if the database can be read.', [{ value: Number(state !== undefined) }]),
    gauge('redis_up', '1 if Redis responds.', [{ value: Number(carrier !== undefined) }]),
    ...(carrier === undefined ? [] : [measureQueues(carrier)]),
    ...(state === undefined
      ? []
      : [
          ...measureHealth(state.health),
          ...measureWorkers(state),
          ...measureState(state.fleet, state.totals),
        ]),
  ];
  return families.map(renderFamily).join('');
}

function measureQueues({ counts }: Carrier): Family {
  const samples = counts.flatMap(({ queue, counts: byState }) =>
    Object.entries(byState).map(([state, value]) => ({ labels: { queue, state }, value })),
  );
  return gauge('queue_size', 'Jobs in Redis, by queue and state.', samples);
}

function measureHealth({ pollerRuns, problems, polls }: Health): Family[] {
  return [
    gauge('poller_up', "1 if the poller's heartbeat is recent.", [{ value: Number(pollerRuns) }]),
    gauge(
      'problems',
      `Problems that stop MergeXO, by code. The dashboard and \`${MERGEXO_CLI} status\` describe each one.`,
      countEach(
        'code',
        problems.map(({ code }) => code),
      ),
    ),
    gauge(
      'last_complete_poll_seconds',
      'Time of the last complete poll of a repository (Unix time).',
      polls.flatMap(({ repo, lastCompleteAt: at }) =>
        at === null ? [] : [{ labels: { repo }, value: Math.round(at / 1_000) }],
      ),
    ),
  ];
}

function measureWorkers({ fleet: { workers }, health }: NonNullable<Measured['state']>): Family[] {
  if (!health.countsWorkers) return [];
  const busy = workers.filter(({ turns }) => turns > 0).length;
  return [
    gauge('workers_running', 'Workers with a recent heartbeat.', [{ value: workers.length }]),
    gauge('workers_busy', 'Workers that are running a turn.', [{ value: busy }]),
  ];
}

function measureState(fleet: Fleet, totals: Totals): Family[] {
  const { blocked, spend, pauses } = fleet;
  const { latency, latencyLastDay } = totals;
  return [
    gauge('turns', 'Unfinished turns, by state.', byName(totals.liveTurns, 'state')),
    counter('turns_ended_total', 'Finished turns, by result.', byName(totals.endedTurns, 'result')),
    counter('turn_failures_total', 'Failed attempts, by cause.', byName(totals.failures, 'cause')),
    gauge('runs', 'Runs, by status.', byName(totals.runs, 'status')),
    gauge(
      'blocked',
      'Blocked pull requests and issues, by reason.',
      countEach(
        'reason',
        blocked.map(({ kind }) => kind),
      ),
    ),
    {
      name: 'mergexo_review_response_seconds',
      type: 'summary',
      help: 'Time from a comment to its reply.',
      samples: [
        { suffix: '_sum', value: latency.sum },
        { suffix: '_count', value: latency.count },
      ],
    },
    gauge(
      'review_response_mean_seconds',
      'Mean time from a comment to its reply over the last 24 hours.',
      latencyLastDay.count === 0 ? [] : [{ value: latencyLastDay.sum / latencyLastDay.count }],
    ),
    gauge('spend_usd_today', 'Agent cost since midnight UTC.', [{ value: spend.costUsd }]),
    gauge('tokens_today', 'Tokens used since midnight UTC.', [
      { labels: { direction: 'in' }, value: spend.inputTokens },
      { labels: { direction: 'out' }, value: spend.outputTokens },
    ]),
    ...measureRate(totals.rateLeft),
    gauge(
      'polling_paused_until_seconds',
      'Time at which polling of a paused repository resumes (Unix time).',
      pauses.map(({ repo, until }) => ({ labels: { repo }, value: Math.round(until / 1_000) })),
    ),
  ];
}

/** Measures the rate limit per login, because all repositories of a login share it. */
function measureRate(rates: Totals['rateLeft']): Family[] {
  const each = (value: (rate: Totals['rateLeft'][number]) => number): Sample[] =>
    rates.map((rate) => ({ labels: { login: rate.login }, value: value(rate) }));
  return [
    gauge(
      'github_rate_limit_left',
      'GitHub requests remaining in the current rate-limit window.',
      each(({ left }) => left),
    ),
    gauge(
      'github_rate_limit',
      'GitHub requests allowed per hour.',
      each(({ limit }) => limit),
    ),
    gauge(
      'github_rate_limit_reset_seconds',
      'Time at which the GitHub rate limit resets (Unix time).',
      each(({ resetsAt }) => Math.round(resetsAt / 1_000)),
    ),
  ];
}

function byName(counts: readonly { name: string; n: number }[], label: string): Sample[] {
  return counts.map(({ name, n }) => ({ labels: { [label]: name }, value: n }));
}

function countEach(label: string, names: readonly string[]): Sample[] {
  const count = (wanted: string): number => names.filter((name) => name === wanted).length;
  return [...new Set(names)].map((name) => ({ labels: { [label]: name }, value: count(name) }));
}

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
  return { name: `mergexo_${name}`, type: 'gauge', help, samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Family {
  return { name: `mergexo_${name}`, type: 'counter', help, samples };
}

function renderFamily({ name, type, help, samples }: Family): string {
  const lines = samples.map(
    ({ labels = {}, value, suffix = '' }) => `${name}${suffix}${renderLabels(labels)} ${value}\n`,
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', ' ');
}
