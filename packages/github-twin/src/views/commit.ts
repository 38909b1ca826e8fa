import type { CommitInfo } from '../git/commits.js';
import type { FileChange } from '../git/diff.js';
import type { Lens } from '../http/call.js';
import type { Repo } from '../store/rows.js';
import { repoPage, repoUrl } from './repo.js';
import { nodeId, viewUserOf } from './user.js';

export function viewCommit(lens: Lens, repo: Repo, commit: CommitInfo) {
  const url = `${repoUrl(lens, repo)}/commits/${commit.sha}`;
  const page = (sha: string) => `${repoPage(lens, repo)}/commit/${sha}`;
  return {
    sha: commit.sha,
    node_id: nodeId('C', commit.sha),
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.tree, url: `${repoUrl(lens, repo)}/git/trees/${commit.tree}` },
      url: `${repoUrl(lens, repo)}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: {
        verified: false,
        reason: 'unsigned',
        signature: null,
        payload: null,
        verified_at: null,
      },
    },
    url,
    html_url: page(commit.sha),
    comments_url: `${url}/comments`,
    author: viewPerson(lens, commit.author.email),
    committer: viewPerson(lens, commit.committer.email),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${repoUrl(lens, repo)}/commits/${sha}`,
      html_url: page(sha),
    })),
  };
}

/** GitHub knows a commit's author by the mail address alone; a stranger's is null. */
function viewPerson(lens: Lens, email: string) {
  const user = lens.world.store.users.find((row) => row.email.toLowerCase() === email.toLowerCase());
  return viewUserOf(lens, user?.id ?? null);
}

export function viewSimpleCommit(commit: CommitInfo) {
  return {
    id: commit.sha,
    tree_id: commit.tree,
    message: commit.message,
    timestamp: commit.committer.date,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
  };
}

/** GitHub's published limits for the diff of one file; beyond them there is an entry without a patch. */
function isShown({ patch, additions, deletions }: FileChange): boolean {
  return additions + deletions <= 20_000 && Buffer.byteLength(patch ?? '') <= 1_000_000;
}

export function viewFile(lens: Lens, repo: Repo, sha: string, file: FileChange) {
  const path = file.filename.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.sha,
    filename: file.filename,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: file.submodule ? null : `${repoPage(lens, repo)}/blob/${sha}/${path}`,
    raw_url: file.submodule ? null : `${repoPage(lens, repo)}/raw/${sha}/${path}`,
    contents_url: `${repoUrl(lens, repo)}/contents/${path}?ref=${sha}`,
    ...(file.patch !== null && isShown(file) && { patch: file.patch }),
    ...(file.previousFilename !== null && { previous_filename: file.previousFilename }),
  };
}
