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

/** Prometheus' text format. What is not known is left out; a zero would be a lie. */
export function renderMetrics({ state, carrier }: Measured): string {
  const families: Family[] = [
    gauge('state_up', 'Whether the database can be read.', [{ value: Number(state !== undefined) }]),
    gauge('redis_up', 'Whether Redis answers.', [{ value: Number(carrier !== undefined) }]),
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
  const codes = [...new Set(problems.map(({ code }) => code))];
  return [
    gauge('poller_up', 'Whether the poller wrote its heartbeat lately.', [{ value: Number(pollerRuns) }]),
    gauge(
      'problems',
      `What stops the work, by code; the dashboard and \`${MERGEXO_CLI} status\` say it in words.`,
      codes.map((code) => ({
        labels: { code },
        value: problems.filter((problem) => problem.code === code).length,
      })),
    ),
    gauge(
      'last_complete_poll_seconds',
      'When a repository was last polled completely (Unix time).',
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
    gauge('workers_running', 'Workers that were heard of lately.', [{ value: workers.length }]),
    gauge('workers_busy', 'Workers that hold a turn.', [{ value: busy }]),
  ];
}

function measureState(fleet: Fleet, totals: Totals): Family[] {
  const { blocked, spend, pauses } = fleet;
  const { latency, latencyLastDay } = totals;
  const reasons = [...new Set(blocked.map(({ kind }) => kind))];
  return [
    gauge('turns', 'Turns that are not over, by state.', byName(totals.liveTurns, 'state')),
    counter('turns_ended_total', 'Turns that ended, by how.', byName(totals.endedTurns, 'result')),
    counter('turn_failures_total', 'Attempts that failed, by cause.', byName(totals.failures, 'cause')),
    gauge('runs', 'Runs of issues, by status.', byName(totals.runs, 'status')),
    gauge(
      'blocked',
      'What waits for an operator, by reason.',
      reasons.map((reason) => ({
        labels: { reason },
        value: blocked.filter(({ kind }) => kind === reason).length,
      })),
    ),
    {
      name: 'mergexo_review_response_seconds',
      type: 'summary',
      help: 'From a comment to its answer.',
      samples: [
        { suffix: '_sum', value: latency.sum },
        { suffix: '_count', value: latency.count },
      ],
    },
    gauge(
      'review_response_mean_seconds',
      'From a comment to its answer, the mean of the last 24 hours.',
      latencyLastDay.count === 0 ? [] : [{ value: latencyLastDay.sum / latencyLastDay.count }],
    ),
    gauge('spend_usd_today', 'What agents cost since midnight UTC.', [{ value: spend.costUsd }]),
    gauge('tokens_today', 'Tokens used since midnight UTC.', [
      { labels: { direction: 'in' }, value: spend.inputTokens },
      { labels: { direction: 'out' }, value: spend.outputTokens },
    ]),
    ...measureRate(totals.rateLeft),
    gauge(
      'polling_paused_until_seconds',
      'Until when GitHub asked us to leave a repository alone (Unix time).',
      pauses.map(({ repo, until }) => ({ labels: { repo }, value: Math.round(until / 1_000) })),
    ),
  ];
}

/** A login has one limit for all its repositories. */
function measureRate(rates: Totals['rateLeft']): Family[] {
  const each = (value: (rate: Totals['rateLeft'][number]) => number): Sample[] =>
    rates.map((rate) => ({ labels: { login: rate.login }, value: value(rate) }));
  return [
    gauge(
      'github_rate_limit_left',
      'Requests that GitHub still allows.',
      each(({ left }) => left),
    ),
    gauge(
      'github_rate_limit',
      'Requests that GitHub allows in an hour.',
      each(({ limit }) => limit),
    ),
    gauge(
      'github_rate_limit_reset_seconds',
      'When it begins anew (Unix time).',
      each(({ resetsAt }) => Math.round(resetsAt / 1_000)),
    ),
  ];
}

function byName(counts: readonly { name: string; n: number }[], label: string): Sample[] {
  return counts.map(({ name, n }) => ({ labels: { [label]: name }, value: n }));
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
