import { readSettings } from '@mergexo/config';
import { Failure } from '@mergexo/core';
import { createState, openDatabaseReadOnly, type Run, type State } from '@mergexo/state';
import type { Context } from '../context.js';

export type ExplainOptions = { repo?: string };

/** What happened to an issue and what it waits for, from the state alone: it reads beside a running poller. */
export function explain(context: Context, issue: string, options: ExplainOptions): void {
  const issueNumber = Number(issue.replace(/^#/, ''));
  if (!Number.isInteger(issueNumber) || issueNumber < 1) {
    throw new Failure('invalid-data', `Give the number of an issue, not ${JSON.stringify(issue)}.`);
  }
  const { paths } = readSettings(context);
  const state = createState(openDatabaseReadOnly(paths.database));
  try {
    const stories = findRepositories(state, options.repo).map((repository) => ({
      repo: `${repository.owner}/${repository.name}`,
      runs: state.listRunsOfIssue(repository.id, issueNumber).map(describeRun),
      events: state
        .listEventsOfIssue(repository.id, issueNumber)
        .map(({ createdAt, type, payload }) => ({ at: new Date(createdAt).toISOString(), type, payload })),
    }));
    context.print({ ok: true, issue: issueNumber, stories }, () =>
      stories.flatMap((story) => render(issueNumber, story)),
    );
  } finally {
    state.close();
  }
}

function findRepositories(state: State, name: string | undefined) {
  const known = state.listRepositories();
  const wanted = known.filter(({ owner, name: repo }) => name === undefined || `${owner}/${repo}` === name);
  if (wanted.length > 0) return wanted;
  const names = known.map(({ owner, name: repo }) => `${owner}/${repo}`).join(', ') || 'none yet';
  throw new Failure('not-found', `The poller has not read ${name ?? 'any repository'} (known: ${names}).`);
}

function describeRun({ flow, ordinal, status, error, branch, prNumber }: Run) {
  return { flow, ordinal, status, reason: error, branch, pr: prNumber };
}

type Story = {
  repo: string;
  runs: ReturnType<typeof describeRun>[];
  events: { at: string; type: string; payload: unknown }[];
};

function render(issueNumber: number, { repo, runs, events }: Story): string[] {
  const heading = `${repo}#${issueNumber}`;
  if (runs.length === 0 && events.length === 0) {
    return [`${heading}: nothing is known. Has it a trigger label, and has the poller read it since?`];
  }
  return [
    heading,
    ...runs.map(({ flow, status, reason, branch, pr }) => {
      const place = pr === null ? `branch ${branch}` : `pull request #${pr}`;
      return `  ${flow}: ${status}, ${place}${reason === null ? '' : `, because ${reason}`}`;
    }),
    ...events.slice(-20).map(({ at, type, payload }) => `  ${at}  ${type}  ${JSON.stringify(payload)}`),
  ];
}
