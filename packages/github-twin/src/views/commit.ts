import { findByEmail } from '../domain/users.js';
import type { CommitInfo } from '../git/commits.js';
import type { FileChange } from '../git/diff.js';
import type { RepoView, ViewContext } from '../world/world.js';
import { repoPage, repoUrl } from './repo.js';
import { nodeId, viewUserOf } from './user.js';

export function viewCommit(context: RepoView, commit: CommitInfo) {
  const url = `${repoUrl(context)}/commits/${commit.sha}`;
  const page = (sha: string) => `${repoPage(context)}/commit/${sha}`;
  return {
    sha: commit.sha,
    node_id: nodeId('C', commit.sha),
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.tree, url: `${repoUrl(context)}/git/trees/${commit.tree}` },
      url: `${repoUrl(context)}/git/commits/${commit.sha}`,
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
      url: `${repoUrl(context)}/commits/${sha}`,
      html_url: page(sha),
    })),
  };
}

/** Finds a commit's author by email address, as GitHub does. Unknown addresses result in null. */
function viewPerson(context: ViewContext, email: string) {
  return viewUserOf(context, findByEmail(context.world, email)?.id ?? null);
}

/** True within GitHub's published limits for one file's diff. Above them, the file has no patch. */
function isShown({ patch, additions, deletions }: FileChange): boolean {
  return additions + deletions <= 20_000 && Buffer.byteLength(patch ?? '') <= 1_000_000;
}

export function viewFile(context: RepoView, sha: string, file: FileChange) {
  const path = file.filename.split('/').map(encodeURIComponent).join('/');
  return {
    sha: file.sha,
    filename: file.filename,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: file.submodule ? null : `${repoPage(context)}/blob/${sha}/${path}`,
    raw_url: file.submodule ? null : `${repoPage(context)}/raw/${sha}/${path}`,
    contents_url: `${repoUrl(context)}/contents/${path}?ref=${sha}`,
    ...(file.patch !== null && isShown(file) && { patch: file.patch }),
    ...(file.previousFilename !== null && { previous_filename: file.previousFilename }),
  };
}
