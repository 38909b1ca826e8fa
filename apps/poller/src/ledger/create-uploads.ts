import { findUploadHosts, listUploads, type UploadPlace } from '@mergexo/core/attachments';
import { findDistrust } from '@mergexo/core/runs';
import type { Turn } from '@mergexo/core/turns';
import type { State } from '@mergexo/state';
import type { GitHubLink, Repo } from '../tools.js';
import type { Uploads } from './answer-attachment.js';

/** Maximum number of downloads at the same time. Each needs about 20 MB of memory until its answer is sent. */
const LANES = 2;

type UploadTools = { state: State; link: Pick<GitHubLink, 'github' | 'connected'>; apiUrl: string };

/** Lists and downloads uploads in texts of allowed users. */
export function createUploads({ state, link, apiUrl }: UploadTools): Uploads {
  const { web } = findUploadHosts(apiUrl);
  const inLane = createLanes(LANES);
  const findRepo = (repoId: number): Repo | undefined =>
    link.connected()?.repos.find(({ id }) => id === repoId);
  const isTrusted = (repoId: number, login: string): boolean => {
    const { allowedUsers = [] } = findRepo(repoId)?.config ?? {};
    // The context of a turn stores only logins, so the account id and type are placeholders.
    return findDistrust({ id: 0, login, type: 'User' }, allowedUsers) === undefined;
  };
  return {
    list: (turn) =>
      listUploads(
        { kind: turn.kind, context: state.readTurnContext(turn.turnKey) },
        { web, isTrusted: (login, place) => isTrusted(turn.repoId, login) && !isOurs(state, turn, place) },
      ),
    isReady: (repoId) => findRepo(repoId) !== undefined,
    fetch: (repoId, upload) =>
      inLane(() => link.github.fetchUpload(findRepo(repoId)?.config.fullName ?? '', upload)),
  };
}

const EVENT_KINDS = { comment: 'issue', review_comment: 'review', review: 'review_summary' } as const;

/**
 * True if MergeXO posted the text, as recorded when the poller read it. The author proves nothing, because people may
 * share MergeXO's login, and line comments of MergeXO's reviews have no marker.
 */
function isOurs(state: State, { repoId, prNumber, issueNumber }: Turn, place: UploadPlace): boolean {
  if (place.kind === 'issue') return false;
  if (place.kind === 'pull') return state.readPull(repoId, place.id) !== undefined;
  const comment = { kind: EVENT_KINDS[place.kind], commentId: place.id };
  const events = [prNumber, issueNumber].flatMap((thread) =>
    thread === null ? [] : (state.readLastEventOfComment(repoId, { ...comment, thread }) ?? []),
  );
  // The poller records every line comment before a turn gets it.
  if (events.length === 0) return place.kind === 'review_comment';
  return events.some(({ skipReason }) => skipReason?.code === 'ours');
}

/** Runs a few tasks at the same time. The others wait in order. */
function createLanes(lanes: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = lanes;
  return async (task) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
