import { findUploadHosts, listUploads } from '@mergexo/core/attachments';
import { findDistrust } from '@mergexo/core/runs';
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
    list: ({ turnKey, kind, repoId }) =>
      listUploads(
        { kind, context: state.readTurnContext(turnKey) },
        { web, isTrusted: (login) => isTrusted(repoId, login) },
      ),
    isReady: (repoId) => findRepo(repoId) !== undefined,
    fetch: (repoId, upload) =>
      inLane(() => link.github.fetchUpload(findRepo(repoId)?.config.fullName ?? '', upload)),
  };
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
