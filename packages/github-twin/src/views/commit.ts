import type { CommitInfo } from '../git/commits.js';
import type { FileChange } from '../git/diff.js';
import type { Repo } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';
import { repoPage, repoUrl } from './repo.js';
import { nodeId, viewUserOf } from './user.js';

export function viewCommit(context: ViewContext, repo: Repo, commit: CommitInfo) {
  const url = `${repoUrl(context, repo)}/commits/${commit.sha}`;
  const page = (sha: string) => `${repoPage(context, repo)}/commit/${sha}`;
  return {
    sha: commit.sha,
    node_id: nodeId('C', commit.sha),
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.tree, url: `${repoUrl(context, repo)}/git/trees/${commit.tree}` },
      url: `${repoUrl(context, repo)}/git/commits/${commit.sha}`,
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
    author: viewPerson(context, commit.author.email),
    committer: viewPerson(context, commit.committer.email),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${repoUrl(context, repo)}/commits/${sha}`,
      html_url: page(sha),
    })),
  };
}

/** GitHub knows a commit's author by the mail address alone; a stranger's is null. */
function viewPerson(context: ViewContext, email: string) {
  const user = context.world.store.users.find((row) => row.email.toLowerCase() === email.toLowerCase());
  return viewUserOf(context, user?.id ?? null);
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

export function viewFile(context: ViewContext, repo: Repo, sha: string, file: FileChange) {
  const path = file.filename.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.sha,
    filename: file.filename,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: file.submodule ? null : `${repoPage(context, repo)}/blob/${sha}/${path}`,
    raw_url: file.submodule ? null : `${repoPage(context, repo)}/raw/${sha}/${path}`,
    contents_url: `${repoUrl(context, repo)}/contents/${path}?ref=${sha}`,
    ...(file.patch !== null && isShown(file) && { patch: file.patch }),
    ...(file.previousFilename !== null && { previous_filename: file.previousFilename }),
  };
}
