import { createHash } from 'node:crypto';
import { planNotice } from '@mergexo/core/actions';
import type { Log } from '@mergexo/core/basics';
import { parseFrontmatter } from '@mergexo/core/frontmatter';
import { explainDistrust } from '@mergexo/core/runs';
import { neutraliseLine, quoteName } from '@mergexo/core/text';
import type { GitHub, PullRequest } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import type { Repo } from '../tools.js';
import { readDocument } from './read-document.js';

type Tools = {
  state: State;
  github: Pick<GitHub, 'fetchPullFiles' | 'fetchFileAt'>;
  now: () => number;
  log: Log;
};

const MAX_DOCUMENTS = 5;

/**
 * Design documents in an open pull request, ours or a person's: a frontmatter that could not be used after the merge is told
 * now, while it can be mended. Once per head; once per complaint.
 */
export async function checkDocuments(tools: Tools, repo: Repo, pull: PullRequest): Promise<void> {
  const { state, github } = tools;
  const { fullName, defaultBranch, allowedUsers } = repo.config;
  if (pull.baseRef !== defaultBranch) return;
  if (state.readPullWatch(repo.id, pull.number)?.documentHeadSha === pull.headSha) return;
  const known = state.readPull(repo.id, pull.number);
  const run = known && state.readRun(known.runId);
  const isOurs = run?.flow === 'design_doc';
  // Other work of ours changes documents only to say that they are implemented.
  const isTheirs = run === undefined && explainDistrust(pull.author, allowedUsers) === undefined;
  const paths = isOurs ? [run.designDocPath ?? ''] : isTheirs ? await listDocuments(tools, repo, pull) : [];
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

async function listDocuments({ github }: Tools, repo: Repo, pull: PullRequest): Promise<string[]> {
  const { fullName, designDocsDir } = repo.config;
  const { files } = await github.fetchPullFiles(fullName, pull.number);
  return files
    .filter(
      ({ status, path }) =>
        status !== 'removed' && path.startsWith(`${designDocsDir}/`) && path.endsWith('.md'),
    )
    .map(({ path }) => path)
    .slice(0, MAX_DOCUMENTS);
}

function complain(
  { state, now }: Tools,
  repo: Repo,
  { pull, run, complaints }: { pull: PullRequest; run: Run | undefined; complaints: readonly string[] },
): void {
  const words = [
    'The frontmatter of a design document cannot be used as it is. Without it the implementation is not started by the merge, or not as the document says.',
    ...complaints,
  ].join('\n\n');
  const digest = createHash('sha256').update(words).digest('hex').slice(0, 16);
  const about = { repoId: repo.id, runId: run?.id ?? null, thread: pull.number };
  state.recordActions([planNotice({ kind: 'document_notice', ...about, cause: [digest], words })], now());
}
