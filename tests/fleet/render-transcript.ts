import { REPO, type Walk } from './walk.js';

type Row = {
  id: number;
  number: number;
  title: string;
  body: string;
  user: { login: string };
  head: { ref: string; sha: string };
  sha: string;
  commit: { message: string };
  merged_at: string | null;
  /** State of an issue or a review. */
  state: string;
  path: string;
  in_reply_to_id?: number;
};

type Get = (path: string) => Promise<Row[]>;

/**
 * Renders the text that a visitor of the pages would read: the issue, its comments, the pull requests and their
 * commits. Does not read MergeXO's database.
 */
export async function renderTranscript(walk: Walk, issueNumber: number): Promise<string> {
  const get: Get = async (path) => {
    const rows = await walk.alice.request('GET', `/repos/${REPO}${path}`);
    return Array.isArray(rows) ? rows : [];
  };
  const issue = Object(await walk.alice.request('GET', `/repos/${REPO}/issues/${issueNumber}`));
  const comments = await get(`/issues/${issueNumber}/comments?per_page=100`);
  const pulls = (await get('/pulls?state=all')).filter(({ body }) => body.includes(`#${issueNumber}\n`));
  const parts: string[] = [`# Issue ${issueNumber}`];
  // The text of a status comment depends on the moment.
  const posts = comments.filter(({ body }) => !body.includes('kind=issue_status'));
  for (const { user, body } of posts) parts.push(`**${user.login}**`, quote(body));
  if (issue.state === 'closed') parts.push('_Closed_');
  for (const pull of pulls.sort((a, b) => a.number - b.number)) {
    parts.push(`# Pull request ${pull.number}: ${pull.title}`, `**${pull.user.login}**`, quote(pull.body));
    parts.push(await renderCommits(walk, await get(`/pulls/${pull.number}/commits`)));
    parts.push(...(await renderTalk(get, pull.number)));
    if (pull.merged_at !== null) parts.push('_Merged_');
  }
  return `${neutral(parts.join('\n\n'))}\n`;
}

/** Lists each commit with its checks. */
async function renderCommits(walk: Walk, commits: readonly Row[]): Promise<string> {
  const { workflow_runs } = Object(
    await walk.alice.request('GET', `/repos/${REPO}/actions/runs?per_page=100`),
  );
  const runs: { id: number; name: string; head_sha: string; conclusion: string | null }[] = workflow_runs;
  return commits
    .flatMap(({ sha, commit }) => [
      `- commit: ${firstLine(commit.message)}`,
      ...runs
        .filter(({ head_sha }) => head_sha === sha)
        .sort((a, b) => a.id - b.id)
        .map(({ name, conclusion }) => `  - check ${name}: ${conclusion ?? 'pending'}`),
    ])
    .join('\n');
}

/** Lists general comments, reviews and line comments in order of creation. */
async function renderTalk(get: Get, number: number): Promise<string[]> {
  const reviews = (await get(`/pulls/${number}/reviews?per_page=100`)).filter(({ body }) => body !== '');
  const lines = await get(`/pulls/${number}/comments?per_page=100`);
  const posted = [
    ...(await get(`/issues/${number}/comments?per_page=100`)).map((row) => ({ row, about: '' })),
    ...reviews.map((row) => ({ row, about: ` (${row.state.toLowerCase().replaceAll('_', ' ')})` })),
    ...lines.map((row) => ({ row, about: row.in_reply_to_id ? ', in reply' : ` on ${row.path}` })),
  ];
  return posted
    .sort((a, b) => a.row.id - b.row.id)
    .flatMap(({ row, about }) => [`**${row.user.login}**${about}`, quote(row.body)]);
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? '';
}

/** Quotes a body without the lines that are invisible on the page. */
function quote(body: string): string {
  return body
    .replace(/\s*<!-- mergexo-meta:[\s\S]*$/, '')
    .replace(/^<!--.*-->\n?/gm, '')
    .trimEnd()
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** Replaces values that differ between runs with numbers, in order of appearance. */
function neutral(text: string): string {
  const shas = [...new Set(text.match(/\b[0-9a-f]{40}\b/g) ?? [])];
  const numbered = shas.reduce((rest, sha, index) => rest.replaceAll(sha, `<commit ${index + 1}>`), text);
  const ids = [...new Set(numbered.match(/(?<=Answer to )\d+/g) ?? [])];
  return ids
    .reduce((rest, id) => rest.replaceAll(`Answer to ${id}`, 'Answer to <id>'), numbered)
    .replace(/issuecomment-\d+/g, 'issuecomment-<id>')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://github.example');
}
