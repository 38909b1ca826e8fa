import { STEER_ORDERS, type SteerOrder } from '@mergexo/core/ledger';
import { countOf } from '@mergexo/core/text';
import { TURN_KIND_NAMES } from '@mergexo/core/turns';
import { listWork, type Snapshot, type Work } from '@mergexo/state';
import type { Reader } from '../create-reader.js';
import { canSkipReview } from '../facts/issue/can-skip-review.js';
import { nameOf } from '../facts/name-of.js';
import { findRepository } from '../facts/read-blocked.js';
import { type PauseNote, readPauseNotes } from '../facts/read-chrome.js';
import { type Html, html } from '../html.js';
import { formatTime } from '../pages/format.js';
import { parseIssueParams, parseRepo } from '../parse-issue-params.js';
import type { OperatorForm } from './operator-form.js';

/** The order, and its scope: all work, a repository, or an issue or pull request. */
export type Steering = { order: SteerOrder; repo: string | null; number: number | null };
type Scene = { running: readonly Work[]; pause: PauseNote | undefined; canSkipReview: boolean };

/** Counts at most this many running turns, because more than a few hundred workers are unlikely. */
const MAX_RUNNING = 1_000;

/** Pauses or resumes all work, a repository or an issue, or cancels the running turn of an issue. */
export function createSteerForm({ reader }: { reader: Reader }): OperatorForm<Steering> {
  return {
    parse: parseSteering,
    identify: ({ order, ...scope }) => `${order} ${describeScope(scope)}`,
    locate: ({ repo, number }) =>
      number !== null ? `/issues/${repo}/${number}` : repo === null ? '/' : '/repositories',
    show(steering) {
      const scene = reader.readState((facts) => readScene(facts, steering));
      if (scene === undefined) return `MergeXO does not know ${describeScope(steering)}.`;
      const problem = findProblem(steering, scene);
      if (problem !== undefined) return problem;
      const { order } = steering;
      const title = `${VERBS[order]} ${describeScope(steering)}?`;
      return { title, verb: BUTTONS[order], about: renderAbout(steering, scene) };
    },
    build: ({ order, repo, number }, _body, request) => ({ kind: 'steer', ...request, order, repo, number }),
    describe(steering, answer) {
      if (answer.kind !== 'steered') return undefined;
      const { order } = steering;
      const scope = describeScope(steering);
      const text = answer.changed ? EFFECTS[order](describePlace(steering)) : 'Nothing was changed.';
      const title = answer.changed ? `${PAST[order]} ${scope}` : `${UNCHANGED[order]}: ${scope}`;
      return { title, text: html`${text}` };
    },
  };
}

const VERBS: Record<SteerOrder, string> = {
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel the turn of',
  'skip-review': 'Skip the AI review of',
};
const BUTTONS: Record<SteerOrder, string> = {
  pause: 'Pause',
  resume: 'Resume',
  cancel: 'Cancel the turn',
  'skip-review': 'Skip the review',
};
/** Orders for one issue only. */
const OF_ISSUE: readonly SteerOrder[] = ['cancel', 'skip-review'];
const PAST: Record<SteerOrder, string> = {
  pause: 'Paused',
  resume: 'Resumed',
  cancel: 'Canceled the turn of',
  'skip-review': 'Skipped the AI review of',
};
const UNCHANGED: Record<SteerOrder, string> = {
  pause: 'Already paused',
  resume: 'Not paused',
  cancel: 'Already paused',
  'skip-review': 'AI review already skipped',
};
const EFFECTS: Record<SteerOrder, (place: string) => string> = {
  pause: (place) => `MergeXO starts no new turns${place} until you resume work.`,
  resume: () => 'MergeXO resumed work. Waiting turns start when a worker is free.',
  cancel: () => 'The worker stops the agent and posts nothing. The issue is paused until you resume it.',
  'skip-review': () => 'MergeXO sets the commit status to success. It still reviews later commits.',
};

function parseSteering(params: Readonly<Record<string, unknown>>): Steering | undefined {
  const order = STEER_ORDERS.find((known) => known === params['order']);
  if (order === undefined) return undefined;
  if (params['owner'] === undefined)
    return OF_ISSUE.includes(order) ? undefined : { order, repo: null, number: null };
  if (params['number'] === undefined) {
    const repo = parseRepo(params);
    return repo === undefined || OF_ISSUE.includes(order) ? undefined : { order, repo, number: null };
  }
  const issue = parseIssueParams(params);
  return issue && { order, ...issue };
}

function describeScope({ repo, number }: Pick<Steering, 'repo' | 'number'>): string {
  if (repo === null) return 'all work';
  return number === null ? repo : `${repo}#${number}`;
}

function describePlace({ repo, number }: Steering): string {
  if (repo === null) return '';
  return number === null ? ` in ${repo}` : ` for ${repo}#${number}`;
}

function readScene(facts: Snapshot, { repo, number }: Steering): Scene | undefined {
  const repository = repo === null ? undefined : findRepository(facts, repo);
  if (repo !== null && repository === undefined) return undefined;
  const issue =
    number === null || repository === undefined
      ? null
      : (facts.state.readPull(repository.id, number)?.issueNumber ?? number);
  const filter = { isLive: true, repoId: repository?.id, stages: ['running'] } as const;
  const page = { order: 'updated', descending: true, limit: MAX_RUNNING, offset: 0 } as const;
  const name = repository === undefined ? null : nameOf(repository);
  return {
    running: listWork(facts, filter, page).filter((work) => issue === null || work.issue === issue),
    pause: readPauseNotes(facts).find((pause) => pause.repo === name && pause.issue === issue),
    canSkipReview: repository !== undefined && issue !== null && canSkipReview(facts, repository.id, issue),
  };
}

function findProblem(
  steering: Steering,
  { running, pause, canSkipReview: canSkip }: Scene,
): string | undefined {
  const scope = steering.repo === null ? 'MergeXO' : describeScope(steering);
  if (steering.order === 'resume' && pause === undefined) return `${scope} is not paused.`;
  if (steering.order === 'pause' && pause !== undefined) return `${scope} is already paused.`;
  if (steering.order === 'cancel' && running.length === 0) return `${scope} has no running turn.`;
  if (steering.order === 'skip-review' && !canSkip) return `${scope} has no AI review to skip.`;
  return undefined;
}

/** Renders what will happen. */
function renderAbout(steering: Steering, { running, pause }: Scene): Html {
  const turns = running.map(
    ({ repo, issue, title, turnKind }) =>
      html`<li><a href="/issues/${repo}/${issue}">${repo}#${issue}</a> <bdi>${title}</bdi>${turnKind !== null && html` <span class="quiet">${TURN_KIND_NAMES[turnKind]}</span>`}</li>`,
  );
  const list = turns.length > 0 && html`<ul>${turns.slice(0, 10)}</ul>`;
  switch (steering.order) {
    case 'pause':
      return html`<p>MergeXO starts no new turns${describePlace(steering)} until somebody resumes work. MergeXO still polls GitHub and records new comments, and replies to them after the pause.</p>
<p>${turns.length === 0 ? 'No turns are running now.' : `${countOf(turns.length, 'turn')} ${turns.length === 1 ? 'is running and will finish' : 'are running and will finish'} normally:`}</p>${list}`;
    case 'resume':
      return html`<p>Paused${pause !== undefined && html` by <bdi>${pause.by}</bdi> since ${formatTime(pause.since)}${pause.reason !== null && html`: <bdi>${pause.reason}</bdi>`}`}.</p><p>Waiting turns start when a worker is free.</p>`;
    case 'cancel':
      return html`<p>The worker stops the agent of this turn. MergeXO pushes and posts nothing from the turn:</p>${list}<p>MergeXO also pauses the issue. After you resume it, MergeXO starts the turn again and replies to its comments.</p>`;
    case 'skip-review':
      return html`<p>MergeXO stops a running AI review or fix of the pull request, and sets the commit status <code>mergexo/review</code> of the current head commit to success. MergeXO still reviews later commits.</p>`;
  }
}
