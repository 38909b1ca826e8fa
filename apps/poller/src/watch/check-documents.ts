import { createHash } from 'node:crypto';
import { parseFrontmatter } from '@mergexo/core/frontmatter';
import { findDistrust } from '@mergexo/core/runs';
import { neutraliseLine, quoteName } from '@mergexo/core/text';
import type { GitHub, PullRequest } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { recordNotice } from '../lifecycle/action.js';
import type { Records, Repo } from '../tools.js';
import { listDocuments, readDocument } from './read-document.js';

type Tools = Records & { github: Pick<GitHub, 'fetchPullFiles' | 'fetchFileAt'> };

const MAX_DOCUMENTS = 5;

/**
 * Checks the frontmatter of design documents in an open pull request, so that people can fix problems before the merge.
 * Reads each head once and posts each problem once.
 */
export async function checkDocuments(tools: Tools, repo: Repo, pull: PullRequest): Promise<void> {
  const { state, github } = tools;
  const { fullName, defaultBranch, allowedUsers } = repo.config;
  if (pull.baseRef !== defaultBranch) return;
  if (state.readPullWatch(repo.id, pull.number)?.documentHeadSha === pull.headSha) return;
  const known = state.readPull(repo.id, pull.number);
  const run = known && state.readRun(known.runId);
  const isOurs = run?.flow === 'design_doc';
  // Skips our other pull requests, because they change documents only to mark them as implemented.
  const isTheirs = run === undefined && findDistrust(pull.author, allowedUsers) === undefined;
  const theirs = isTheirs ? (await listDocuments(github, repo, pull.number)).slice(0, MAX_DOCUMENTS) : [];
  const paths = isOurs ? [run.designDocPath ?? ''] : theirs.map(({ path }) => path);
  const complaints: string[] = [];
  for (const path of paths) {
    const read = await readDocument(github, fullName, { path, sha: pull.headSha });
    const problems =
      read.kind === 'text' ? findProblems(read.text) : read.kind === 'absent' ? [] : [read.reason];
    if (problems.length === 0) continue;
    complaints.push(
      [`${quoteName(path)}:`, ...problems.map((problem) => `- ${neutraliseLine(problem)}`)].join('\n'),
    );
  }
  state.transaction(() => {
    state.savePullWatch(repo.id, pull.number, { documentHeadSha: pull.headSha });
    if (complaints.length > 0) complain(tools, repo, { pull, run, complaints });
  });
}

function findProblems(text: string): readonly string[] {
  const parsed = parseFrontmatter(text);
  return parsed.kind === 'invalid' ? parsed.problems : [];
}

function complain(
  tools: Tools,
  repo: Repo,
  { pull, run, complaints }: { pull: PullRequest; run: Run | undefined; complaints: readonly string[] },
): void {
  const text = [
    'The frontmatter of a design document is invalid. If it is not fixed before the merge, MergeXO may not start the implementation, or may ignore its settings.',
    ...complaints,
  ].join('\n\n');
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const about = { repoId: repo.id, runId: run?.id ?? null, thread: pull.number };
  recordNotice(tools, { kind: 'document_notice', ...about, cause: [digest], payload: { text } });
}
