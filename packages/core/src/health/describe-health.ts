import { MERGEXO_CLI } from '../basics/mergexo-cli.js';
import { type HealthCode, type HealthReport, POLLER_HEARTBEAT_MS } from './health.js';

export type HealthProblem = {
  code: HealthCode | 'never-started' | 'stale';
  repo: string | null;
  since: number | null;
  /** Subject, condition and time, such as "Poller not running since 10:04 UTC". */
  message: string;
  /** The next step. */
  fix: string;
};

export type Health = {
  pollerRuns: boolean;
  /** False while heartbeats cannot arrive, because the number of workers is then unknown. */
  countsWorkers: boolean;
  problems: HealthProblem[];
  /** Trouble that does not stop the work, so that /readyz and the exit code of `status` ignore it. */
  warnings: HealthProblem[];
  polls: { repo: string; lastCompleteAt: number | null }[];
  /** Undefined unless the poller listens for webhooks. While deliveries arrive, polling is slower. */
  webhook: { delivering: boolean; lastDeliveryAt: number | null } | undefined;
};

type About = { now: number; repos: readonly { id: number; name: string }[]; pollIntervalMs: number };

const MISSED_HEARTBEATS = 3;
/** A repository is reported only after it has failed for this long. One failed poll is not an outage. */
const REPO_GRACE_MS = 120_000;
const GITHUB_GRACE_MS = 120_000;
const REDIS_GRACE_MS = 5_000;
const MIN_STALE_MS = 300_000;

/** Evaluates the poller's health reports for `status`, the dashboard, /readyz and the metrics. */
export function describeHealth(reports: readonly HealthReport[], about: About): Health {
  const of = (subject: string) => reports.find((report) => report.subject === subject);
  const polls = about.repos.map(({ id, name }) => ({
    repo: name,
    lastCompleteAt: of(`repo/${id}`)?.okAt ?? null,
  }));
  const repoReports = about.repos.flatMap(({ id, name }) => {
    const report = of(`repo/${id}`);
    return report === undefined ? [] : [{ report, name }];
  });
  // A lost secret is reported even after the poller stopped. All other reports are outdated by then.
  const lost = repoReports.flatMap(({ report, name }) => judgeSecret(report, name, about.now));
  const webhook = findCurrent(of('webhook'), about.now);
  const warnings = [
    ...judgeConfig(of('config'), about.now),
    ...judgeWebhook(webhook, about.now),
    ...reports.flatMap((report) => judgeChannel(report, about.now)),
  ];
  const poller = judgePoller(of('poller'), about.now);
  if (poller !== undefined)
    return {
      ...{ pollerRuns: false, countsWorkers: false, problems: [poller, ...lost], warnings: [], polls },
      webhook: undefined,
    };
  const redis = judgeRedis(of('redis'), about.now);
  const problems = [
    ...judgeGitHub(of('github'), about),
    ...redis,
    ...lost,
    ...repoReports.flatMap(({ report, name }) => judgeRepo(report, name, about)),
  ];
  return {
    ...{ pollerRuns: true, countsWorkers: redis.length === 0, problems, warnings, polls },
    webhook: describeWebhook(webhook),
  };
}

/** Formats a time as `10:04 UTC`, with the date unless it is today. */
export function formatSince(time: number, now: number): string {
  const text = new Date(time).toISOString();
  const isToday = text.slice(0, 10) === new Date(now).toISOString().slice(0, 10);
  return `${isToday ? '' : `${text.slice(0, 10)} `}${text.slice(11, 16)} UTC`;
}

function judgePoller(report: HealthReport | undefined, now: number): HealthProblem | undefined {
  const fix = `Start it with \`${MERGEXO_CLI} up\` (or \`npm run poller\`). Its log shows why it stopped.`;
  if (report === undefined) {
    const message = 'The poller has not run yet';
    return { code: 'never-started', repo: null, since: null, message, fix };
  }
  if (report.code === 'secret-lost') {
    const { code, since } = report;
    const message = `Poller not running since ${formatSince(since, now)}: its signing secret is missing or was replaced`;
    const restore = `Restore the old secret (docs/operations.md). If it is lost for good, start clean with \`${MERGEXO_CLI} adopt --repo <owner/name>\`.`;
    return { code, repo: null, since, message, fix: restore };
  }
  // A time in the future also counts as silence: the clock was set back, and a running poller would correct the time
  // with its next heartbeat.
  const isSilent = Math.abs(now - report.checkedAt) > MISSED_HEARTBEATS * POLLER_HEARTBEAT_MS;
  if (report.code !== 'stopped' && !isSilent) return undefined;
  const since = report.code === 'stopped' ? report.since : report.checkedAt;
  const message = `Poller not running since ${formatSince(since, now)}`;
  return { code: report.code === 'stopped' ? 'stopped' : 'stale', repo: null, since, message, fix };
}

function judgeGitHub(report: HealthReport | undefined, { now, pollIntervalMs }: About): HealthProblem[] {
  if (report === undefined) return [];
  const { code, since } = report;
  const when = formatSince(since, now);
  if (code === 'token-rejected') {
    const fix = `Log in again with \`gh auth login\`, or set a new GITHUB_TOKEN and restart. For a GitHub App, check its client id and its private key. \`${MERGEXO_CLI} doctor\` checks them.`;
    return [{ code, repo: null, since, message: `GitHub has rejected the token since ${when}`, fix }];
  }
  if (code === 'no-login') {
    const fix =
      'Set GITHUB_TOKEN and restart, or run `gh auth login`. For a GitHub App, store its private key.';
    return [{ code, repo: null, since, message: `MergeXO has had no GitHub credentials since ${when}`, fix }];
  }
  // Reports an outage only after requests have failed for one poll interval, or for two minutes if that is shorter.
  if (code !== 'unreachable' || now - since < Math.min(pollIntervalMs, GITHUB_GRACE_MS)) return [];
  const fix = `Check the network and https://www.githubstatus.com. Last error: ${report.detail ?? 'unknown'}`;
  return [{ code, repo: null, since, message: `GitHub not responding since ${when}`, fix }];
}

function judgeRedis(report: HealthReport | undefined, now: number): HealthProblem[] {
  if (report === undefined || report.code === 'ok' || now - report.since < REDIS_GRACE_MS) return [];
  const { code, since } = report;
  const message = `Redis not responding since ${formatSince(since, now)}`;
  const fix = 'Check Redis. Turns stay in SQLite and are queued again when it responds.';
  return [{ code, repo: null, since, message, fix }];
}

/** Reports a channel that rejects notifications. */
function judgeChannel({ subject, code, since, detail }: HealthReport, now: number): HealthProblem[] {
  if (!subject.startsWith('notify/') || code === 'ok') return [];
  const name = subject.slice('notify/'.length);
  const message = `Notifications (${name}) not sent since ${formatSince(since, now)}: ${detail ?? 'unknown error'}`;
  const fix = `Correct [notify] in the config, then check it with \`${MERGEXO_CLI} notify test\`.`;
  return [{ code, repo: null, since, message, fix }];
}

/** Drops the report of a poller that had a webhook earlier. */
function findCurrent(report: HealthReport | undefined, now: number): HealthReport | undefined {
  if (report === undefined) return undefined;
  return Math.abs(now - report.checkedAt) > MISSED_HEARTBEATS * POLLER_HEARTBEAT_MS ? undefined : report;
}

function describeWebhook(report: HealthReport | undefined): Health['webhook'] {
  if (report?.code !== 'ok' && report?.code !== 'quiet') return undefined;
  return { delivering: report.code === 'ok', lastDeliveryAt: report.okAt };
}

/** Reports a webhook that cannot listen. A webhook without deliveries is no problem, because polling continues. */
function judgeWebhook(report: HealthReport | undefined, now: number): HealthProblem[] {
  if (report === undefined || report.code === 'ok' || report.code === 'quiet') return [];
  const { code, since, detail } = report;
  const message = `Webhook not listening since ${formatSince(since, now)}: ${detail ?? 'unknown error'}`;
  const fix = 'MergeXO keeps polling. Choose another port for webhook.listen, then restart MergeXO.';
  return [{ code, repo: null, since, message, fix }];
}

/** Reports a config file that the poller did not load. */
function judgeConfig(report: HealthReport | undefined, now: number): HealthProblem[] {
  if (report === undefined || report.code === 'ok') return [];
  const { code, since, detail } = report;
  if (code === 'restart-needed')
    return [
      { code, repo: null, since, message: `The config file changed: ${detail}`, fix: 'Restart MergeXO.' },
    ];
  const message = `Config file not loaded since ${formatSince(since, now)}: ${detail ?? 'unknown error'}`;
  const fix = `MergeXO keeps the last valid config. \`${MERGEXO_CLI} config check\` lists every problem.`;
  return [{ code, repo: null, since, message, fix }];
}

function judgeSecret(report: HealthReport, repo: string, now: number): HealthProblem[] {
  const { code, since } = report;
  if (code !== 'secret-lost') return [];
  const message = `${repo} paused since ${formatSince(since, now)}: its earlier comments were signed with another secret`;
  const fix = `Restore the old secret (docs/operations.md), or start clean with \`${MERGEXO_CLI} adopt --repo ${repo}\`.`;
  return [{ code, repo, since, message, fix }];
}

function judgeRepo(report: HealthReport, repo: string, { now, pollIntervalMs }: About): HealthProblem[] {
  const { code, since, okAt } = report;
  const detail = report.detail ?? 'unknown error';
  if (code === 'refused') {
    const message = `GitHub has refused access to ${repo} since ${formatSince(since, now)}: ${detail}`;
    const fix = `Give the GitHub account access to the repository, or correct the owner and name in the config. \`${MERGEXO_CLI} doctor\` checks it.`;
    return [{ code, repo, since, message, fix }];
  }
  // Token problems and lost secrets are reported separately, and a pause is not a problem.
  if (['secret-lost', 'paused', 'token-rejected', 'no-login'].includes(code)) return [];
  if (code === 'ok') {
    const isStale = now - report.checkedAt > Math.max(MIN_STALE_MS, 5 * pollIntervalMs);
    if (!isStale) return [];
    const message = `${repo} not polled since ${formatSince(report.checkedAt, now)}`;
    const fix = "Check the poller's log, then restart it.";
    return [{ code: 'stale', repo, since: report.checkedAt, message, fix }];
  }
  if (now - since < REPO_GRACE_MS) return [];
  const message = `${repo} not polled completely since ${formatSince(okAt ?? since, now)}: ${detail}`;
  return [{ code, repo, since: okAt ?? since, message, fix: "See the poller's log for details." }];
}
