import type { Config } from '@mergexo/config';
import {
  type Cap,
  computeTurnKey,
  explainDistrust,
  Failure,
  failpoint,
  findCap,
  type Log,
  openTurn,
  parseStartCommand,
  planNotice,
  renderParkNotice,
  renderRunName,
  type SigningKeys,
  type StartContext,
  startKindOf,
  type Turn,
  verifyBody,
} from '@mergexo/core';
import type { GitHub, Issue, IssueComment } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import { isTakenOver } from '../feedback/open-feedback-turns.js';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';
import { closeRun, TAKEOVER } from '../settle-turns.js';
import { measureUse } from './measure-use.js';

export type OpenTools = {
  state: State;
  github: Pick<GitHub, 'fetchThread'>;
  keys: SigningKeys;
  limits: Config['limits'];
  now: () => number;
  log: Log;
};

/** Opens a turn for every run that is ready and within its caps. */
export async function openStartTurns(tools: OpenTools, repo: Repo): Promise<void> {
  for (const run of tools.state.listRuns(repo.id, ['ready'])) {
    const cap = findCap(tools.limits, measureUse(tools, repo, run));
    if (cap === undefined) await attemptStart(tools, repo, run);
    else park(tools, run, cap);
  }
}

/** A run whose issue cannot be read holds up no other run. */
async function attemptStart(tools: OpenTools, repo: Repo, run: Run): Promise<void> {
  try {
    await openStartTurn(tools, repo, run);
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'rate-limited') throw error;
    if (error.kind === 'not-found') tools.state.transaction(() => closeRun(tools, run, 'the issue is gone'));
    else tools.log.warn({ issue_number: run.issueNumber, err: error }, 'a start waits for its issue');
  }
}

async function openStartTurn(tools: OpenTools, repo: Repo, run: Run): Promise<void> {
  const { issue, comments } = await tools.github.fetchThread(repo.config.fullName, run.issueNumber);
  const { state, now } = tools;
  state.transaction(() => {
    if (!issue.open) return closeRun(tools, run, 'the issue was closed before the work began');
    if (isTakenOver(issue.labels, repo.config.labels.ignore))
      return closeRun(tools, run, 'a person took it over before the work began', TAKEOVER);
    const turn = buildTurn(tools, run);
    const context = buildContext(tools, repo, run, { issue, comments });
    if (!state.recordTurn(turn, context)) return;
    const runStartCommentId = Math.max(0, ...comments.map(({ id }) => id));
    state.saveRun({ ...run, status: 'running', blockedKind: null, error: null, runStartCommentId }, now());
    const { repoId, issueNumber, turnKey } = turn;
    recordEvents(tools, [
      { type: 'turn_opened', repoId, runId: run.id, issueNumber, turnKey, payload: { kind: turn.kind } },
    ]);
  });
  failpoint('poller:turn-opened');
}

function buildTurn({ state, now }: OpenTools, run: Run): Turn {
  const kind = startKindOf(run.flow);
  const unfinishedBefore = state.listTurnsOfRun(run.id).filter((turn) => turn.state !== 'done').length;
  const { repoId, issueNumber } = run;
  const turnKey = computeTurnKey({
    kind,
    repoId,
    number: issueNumber,
    discriminator: [run.flow, run.ordinal],
    unfinishedBefore,
  });
  return openTurn({ turnKey, repoId, runId: run.id, kind, issueNumber, prNumber: null, openedAt: now() });
}

/** Only what allowed people wrote reaches the agent: no stranger's text, no bot's, no words of our own, no commands. */
function buildContext(
  { keys }: OpenTools,
  repo: Repo,
  run: Run,
  { issue, comments }: { issue: Issue; comments: readonly IssueComment[] },
): StartContext {
  const { fullName, allowedUsers } = repo.config;
  if (run.branch === null) throw new Failure('invalid-data', `run ${run.id} has no branch`);
  const place = { repoId: repo.id, thread: String(issue.number) };
  const counts = (comment: IssueComment): boolean =>
    explainDistrust(comment.author, allowedUsers) === undefined &&
    verifyBody(comment.body, place, keys) === undefined &&
    parseStartCommand(comment.body) === undefined;
  return {
    repo: fullName,
    flow: run.flow,
    branch: run.branch,
    designDocPath: run.designDocPath,
    issue: {
      number: issue.number,
      title: issue.title,
      body: issue.body,
      author: issue.author.login,
      labels: issue.labels,
      url: issue.url,
    },
    comments: comments
      .filter(counts)
      .sort((a, b) => a.id - b.id)
      .map(({ id, author, body, createdAt, updatedAt, url }) => ({
        id,
        author: author.login,
        body,
        createdAt,
        updatedAt,
        url,
      })),
  };
}

/** Recorded once per cap, and told where waiting does not help; the run stays ready and is looked at in every cycle. */
function park(tools: OpenTools, run: Run, { key, reason, lasting }: Cap): void {
  if (run.blockedKind === key) return;
  const { repoId, id: runId, issueNumber } = run;
  tools.state.transaction(() => {
    tools.state.saveRun({ ...run, blockedKind: key, error: reason }, tools.now());
    const words = renderParkNotice(reason);
    const notice = planNotice({
      kind: 'park_notice',
      repoId,
      runId,
      thread: issueNumber,
      cause: [renderRunName(run), key],
      words,
    });
    if (lasting) tools.state.recordActions([notice], tools.now());
    recordEvents(tools, [{ type: 'run_parked', repoId, runId, issueNumber, payload: { reason } }]);
  });
}
