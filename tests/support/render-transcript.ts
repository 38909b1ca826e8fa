import { REPO, type Walk } from './walk.js';

type Row = {
  number: number;
  title: string;
  body: string;
  user: { login: string };
  head: { ref: string; sha: string };
  sha: string;
  commit: { message: string };
};

/** What a visitor of the pages would read: the issue, its comments, the pull request, its commits. Nothing of our database. */
export async function renderTranscript(walk: Walk, issueNumber: number): Promise<string> {
  const get = async (path: string): Promise<Row[]> => {
    const rows = await walk.alice.request('GET', `/repos/${REPO}${path}`);
    return Array.isArray(rows) ? rows : [];
  };
  const comments = await get(`/issues/${issueNumber}/comments?per_page=100`);
  const pulls = (await get('/pulls?state=all')).filter(({ body }) => body.includes(`#${issueNumber}\n`));
  const parts: string[] = [`# Issue ${issueNumber}`];
  for (const { user, body } of comments) parts.push(`**${user.login}**`, quote(body));
  for (const pull of pulls) {
    parts.push(`# Pull request ${pull.number}: ${pull.title}`, `**${pull.user.login}**`, quote(pull.body));
    const commits = await get(`/pulls/${pull.number}/commits`);
    parts.push(commits.map(({ commit }) => `- commit: ${firstLine(commit.message)}`).join('\n'));
    for (const { user, body } of await get(`/issues/${pull.number}/comments?per_page=100`))
      parts.push(`**${user.login}**`, quote(body));
  }
  return `${neutral(parts.join('\n\n'))}\n`;
}

function firstLine(message: string): string {
  return message.split('\n')[0] ?? '';
}

/** Without the closing lines that nobody sees on the page. */
function quote(body: string): string {
  return body
    .replace(/\s*<!-- mergexo-meta:[\s\S]*$/, '')
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** What differs from run to run is numbered in the order of its appearance. */
function neutral(text: string): string {
  const shas = [...new Set(text.match(/\b[0-9a-f]{40}\b/g) ?? [])];
  const numbered = shas.reduce((rest, sha, index) => rest.replaceAll(sha, `<commit ${index + 1}>`), text);
  const ids = [...new Set(numbered.match(/(?<=Answer to )\d+/g) ?? [])];
  return ids
    .reduce((rest, id) => rest.replaceAll(`Answer to ${id}`, 'Answer to <id>'), numbered)
    .replace(/issuecomment-\d+/g, 'issuecomment-<id>')
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://github.example');
}
