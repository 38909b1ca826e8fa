import { MERGEXO_CLI } from '@mergexo/core/basics';
import { asksForHead } from '@mergexo/core/turns';
import { type BlockedWork, listBlocked, type Repository, type Snapshot } from '@mergexo/state';
import { nameOf } from './name-of.js';

export type Blocked = Omit<BlockedWork, 'observedHeadSha'> & {
  repo: string;
  kind: string;
  reason: string;
  /** Commands to copy: shell commands, or a comment to post on the issue. */
  remedies: readonly { about: string; command: string }[];
};

/** Lists the blocked work of a repository or of one issue, with the commands that resume it. */
export function readBlocked({ state }: Snapshot, repository: Repository, issue?: number): Blocked[] {
  const repo = nameOf(repository);
  return listBlocked(state, repository.id, issue).map(({ observedHeadSha, ...work }) => {
    const blocked = { ...work, repo, headSha: observedHeadSha ?? work.headSha };
    return {
      ...blocked,
      kind: work.kind ?? 'unknown',
      reason: work.reason ?? 'no reason was recorded',
      remedies: work.pr === null ? listIssueRemedies(blocked) : listPullRemedies(blocked),
    };
  });
}

/** Finds blocked work by the number of its pull request, or of its issue if it has no pull request. */
export function findBlocked(facts: Snapshot, name: string, number: number): Blocked | undefined {
  const repository = findRepository(facts, name);
  if (repository === undefined) return undefined;
  const issue = facts.state.readPull(repository.id, number)?.issueNumber ?? number;
  return readBlocked(facts, repository, issue).find((blocked) => (blocked.pr ?? blocked.issue) === number);
}

/** Finds a repository by name. Ignores case, because repository names are case-insensitive on GitHub. */
export function findRepository({ state }: Snapshot, name: string): Repository | undefined {
  return state
    .listRepositories()
    .find((repository) => nameOf(repository).toLowerCase() === name.toLowerCase());
}

type Place = Pick<Blocked, 'repo' | 'issue' | 'pr' | 'headSha' | 'acceptedHeadSha'> & { kind: string | null };

function listPullRemedies({ repo, pr, kind, headSha, acceptedHeadSha }: Place): Blocked['remedies'] {
  const reset = `${MERGEXO_CLI} feedback blocked reset --repo ${repo} --pr ${pr}`;
  // If the agent rewrote only its own checkout, the branch did not move and there is no new head to accept.
  const rewritten = asksForHead(kind) && headSha !== acceptedHeadSha;
  const about = rewritten
    ? 'To restore the old history, push the accepted head to the branch, then run'
    : 'After you fix the cause, run';
  return [
    { about, command: reset },
    ...(rewritten && headSha !== null
      ? [{ about: 'To accept the new history, run', command: `${reset} --head-sha ${headSha}` }]
      : []),
  ];
}

function listIssueRemedies({ repo, issue }: Place): Blocked['remedies'] {
  const command = `${MERGEXO_CLI} feedback blocked reset --repo ${repo} --issue ${issue}`;
  return [
    { about: 'After you fix the cause, run', command },
    { about: 'Or post this comment on the issue:', command: '/mergexo retry' },
  ];
}
