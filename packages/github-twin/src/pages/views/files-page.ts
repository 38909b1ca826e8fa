import { notFound } from '../../basics/api-error.js';
import { diffFiles, type FileChange } from '../../git/diff.js';
import { Side } from '../../store/review-rows.js';
import type { PullIssue } from '../../store/rows.js';
import { type DiffLine, listLines, renderLine, spotOf } from '../parts/diff.js';
import { issuePath, plural, renderForm, renderTextBox, renderTime } from '../parts/elements.js';
import { type Html, html, type Part } from '../parts/html.js';
import type { Page } from '../parts/layout.js';
import { domId, may, type RepoPageContext } from '../visit/page-context.js';
import { findPendingReview, listThreads, type Thread } from './conversation.js';
import { renderPullPage } from './pull-page.js';
import { renderThread } from './thread.js';

/** As on GitHub, what nobody reads in a browser is not drawn there. */
const MOST_LINES = 3_000;
const MOST_FILES = 300;

type Spot = { path: string; side: Side; line: number };
/** How the lines of a file are shown: what is offered beside each, and what stands below it. */
type Lines = { beside(line: DiffLine): Html | undefined; below(line: DiffLine): Part };

export async function renderFiles(context: RepoPageContext, issue: PullIssue): Promise<Page> {
  const { world, repo } = context;
  const { pull } = issue;
  const compared = await world.gitRepo(repo).compare(pull.baseSha, pull.headSha);
  const threads = await listThreads(context, issue);
  const files = compared?.files ?? [];
  const drawn = files
    .slice(0, MOST_FILES)
    .map((file) => renderFile(file, linesOf(context, issue, file, threads)));
  const more =
    files.length > MOST_FILES &&
    html`<p class="blank" id="more-files">${files.length - MOST_FILES} more files are not shown.</p>`;
  const content = html`<div class="files-head"><p class="muted">${plural(files.length, 'changed file')}</p>${renderReviewForm(context, issue)}</div>
<div id="files" data-live="list">${drawn}${more}</div>`;
  return renderPullPage(context, issue, 'files', content);
}

export async function renderCommitPage(context: RepoPageContext, sha: string): Promise<Page> {
  const { world, repo } = context;
  const { dir, readCommit } = world.gitRepo(repo);
  const commit = await readCommit(sha).catch(() => {
    throw notFound();
  });
  const files = await diffFiles(dir, commit.parents[0] ?? EMPTY_TREE, sha);
  const plain: Lines = { beside: () => undefined, below: () => null };
  const [title = '', ...rest] = commit.message.split('\n');
  const message = rest.join('\n').trim();
  const body = html`<div class="issue-head"><h1><bdi>${title}</bdi></h1>${message !== '' && html`<pre class="message" dir="auto">${message}</pre>`}
<p class="muted"><bdi>${commit.author.name}</bdi> committed ${renderTime(commit.committer.date)} · <code>${sha}</code></p></div>
${files.slice(0, MOST_FILES).map((file) => renderFile(file, plain))}`;
  return { title: `${title} · ${repo.owner}/${repo.name}@${sha.slice(0, 7)}`, body, repo };
}

/** What git compares a first commit with. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

function renderFile(file: FileChange, lines: Lines): Html {
  const name = file.previousFilename
    ? html`<bdi>${file.previousFilename}</bdi> → <bdi>${file.filename}</bdi>`
    : html`<bdi>${file.filename}</bdi>`;
  const status = file.status !== 'modified' && html` <span class="badge">${file.status}</span>`;
  return html`<section class="file box" id="${domId('diff', file.filename)}"><h2 class="file-head"><span class="path">${name}</span>${status}<span class="stat"><span class="plus">+${file.additions}</span> <span class="minus">−${file.deletions}</span></span></h2>
${renderPatch(file, lines)}</section>`;
}

function renderPatch(file: FileChange, { beside, below }: Lines): Html {
  if (file.patch === null)
    return html`<p class="blank">${file.status === 'renamed' ? 'File renamed without changes.' : 'Binary file not shown.'}</p>`;
  const lines = listLines(file.patch);
  if (lines.length > MOST_LINES) return html`<p class="blank">Large diffs are not shown.</p>`;
  const rows = lines.map((line) => html`${renderLine(line, beside(line))}${below(line)}`);
  return html`<div class="scroll"><table class="diff"><caption class="hidden">Changes of ${file.filename}</caption><tbody>${rows}</tbody></table></div>`;
}

function linesOf(context: RepoPageContext, issue: PullIssue, file: FileChange, threads: Thread[]): Lines {
  const own = threads.filter(({ root }) => root.place.path === file.filename);
  const wanted = readSpot(context);
  const show = (thread: Thread) => renderThread(context, issue, thread, { showLines: false, from: 'files' });
  const row = (content: Part) => html`<tr class="inline"><td colspan="3">${content}</td></tr>`;
  return {
    beside: (line) => {
      const spot = spotOf(line);
      if (!spot || !may(context, 'read')) return undefined;
      const query = new URLSearchParams({ path: file.filename, side: spot.side, line: String(spot.line) });
      const href = `${issuePath(context.repo, issue)}/files?${query}#new-comment`;
      return html`<a class="add" href="${href}" aria-label="Comment on line ${spot.line}" title="Comment on line ${spot.line}">+</a>`;
    },
    below: (line) => {
      const said = own.filter(({ root, line: at }) => at !== null && standsOn(line, root.place.side, at));
      const asked =
        wanted?.path === file.filename && may(context, 'read') && standsOn(line, wanted.side, wanted.line);
      return [said.map((thread) => row(show(thread))), asked && row(renderLineForm(context, issue, wanted))];
    },
  };
}

function standsOn(line: DiffLine, side: Side, at: number): boolean {
  if (line.kind === 'hunk' || line.kind === 'note') return false;
  return side === 'RIGHT' ? line.newLine === at : line.oldLine === at;
}

function readSpot({ query }: RepoPageContext): Spot | undefined {
  const side = Side.safeParse(query.get('side'));
  const line = Number(query.get('line'));
  const path = query.get('path');
  return side.success && path !== null && Number.isInteger(line)
    ? { path, side: side.data, line }
    : undefined;
}

function renderLineForm(context: RepoPageContext, issue: PullIssue, { path, side, line }: Spot): Html {
  const pending = findPendingReview(context, issue);
  const target = issuePath(context.repo, issue);
  const fields = { path, side, line, commit: issue.pull.headSha, from: 'files' };
  const buttons = pending
    ? html`<button class="primary" name="do" value="review">Add review comment</button>`
    : html`<button name="do" value="review">Start a review</button><button class="primary" name="do" value="single">Add single comment</button>`;
  return html`<div class="thread" id="new-comment">${renderForm(
    context,
    { action: `${target}/line-comment`, fields },
    html`${renderTextBox({ id: 'line-body', label: `Comment on line ${line}`, placeholder: `Comment on line ${line}`, focus: true })}
<p class="actions"><a class="button" href="${target}/files">Cancel</a>${buttons}</p>`,
  )}</div>`;
}

function renderReviewForm(context: RepoPageContext, issue: PullIssue): Html {
  if (!may(context, 'read')) return html``;
  const own = issue.userId === context.visitor.user?.id;
  const pending = findPendingReview(context, issue);
  const waiting = pending
    ? context.world.store.reviewComments.filter((row) => row.reviewId === pending.id).length
    : 0;
  const choice = (value: string, words: string, hint: string) =>
    html`<label class="choice"><input type="radio" name="event" value="${value}"${value === 'COMMENT' && html` checked`}${own && value !== 'COMMENT' && html` disabled`}> <strong>${words}</strong> <span class="muted">${hint}</span></label>`;
  const form = renderForm(
    context,
    {
      action: `${issuePath(context.repo, issue)}/review`,
      fields: { sha: issue.pull.headSha },
    },
    html`${renderTextBox({ id: 'review-body', label: 'Review', placeholder: 'Leave a comment', rows: 5 })}
<fieldset><legend class="hidden">Verdict</legend>${choice('COMMENT', 'Comment', 'Submit general feedback without explicit approval.')}${choice('APPROVE', 'Approve', 'Submit feedback and approve merging these changes.')}${choice('REQUEST_CHANGES', 'Request changes', 'Submit feedback that must be addressed before merging.')}</fieldset>
<p class="actions"><button class="primary">Submit review</button></p>`,
  );
  const count = waiting > 0 && html` <span class="count">${waiting}</span>`;
  return html`<details class="review-form" id="review-form"><summary class="button primary">${pending ? 'Finish your review' : 'Review changes'}${count}</summary><div class="popup">${form}</div></details>`;
}
