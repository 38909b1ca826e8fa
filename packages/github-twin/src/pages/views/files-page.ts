import type { FileChange } from '../../git/diff.js';
import { type DiffLine, listLines, parseHunks } from '../../git/parse-patch.js';
import { type PullIssue, Side } from '../../store/rows.js';
import { renderLine, spotOf } from '../parts/diff.js';
import { plural, renderForm, renderTextBox } from '../parts/elements.js';
import { type Html, html, type Part } from '../parts/html.js';
import type { Page } from '../parts/layout.js';
import { domId, issuePath, may, type RepoPageContext } from '../parts/page-context.js';
import { findPendingReview, listThreads, type Thread } from './conversation.js';
import { renderPullPage } from './pull-page.js';
import { renderThread } from './thread.js';

/** Maximum lines of a displayed patch. GitHub also hides longer patches. */
const MOST_LINES = 3_000;

type Spot = { path: string; side: Side; line: number };
/** Renders the link next to a diff line, and the threads and forms below it. */
type Lines = { inLine(line: DiffLine): Html | undefined; below(line: DiffLine): Part };

export async function renderFiles(context: RepoPageContext, issue: PullIssue): Promise<Page> {
  const { pull } = issue;
  const compared = await context.world.gitRepo(context.repo).compare(pull.baseSha, pull.headSha);
  const threads = await listThreads(context, issue);
  const files = compared?.files ?? [];
  const drawn = files.map((file) => {
    const own = threads.filter(({ root }) => root.place.path === file.filename);
    return renderFile(file, linesOf(context, issue, { path: file.filename, threads: own }));
  });
  const content = html`<div class="files-head"><p class="muted">${plural(files.length, 'changed file')}</p>${renderReviewForm(context, issue)}</div>
<div id="files" data-live="list">${drawn}</div>`;
  return renderPullPage(context, issue, { tab: 'files', content });
}

function renderFile(file: FileChange, lines: Lines): Html {
  const name = file.previousFilename
    ? html`<bdi>${file.previousFilename}</bdi> → <bdi>${file.filename}</bdi>`
    : html`<bdi>${file.filename}</bdi>`;
  const status = file.status !== 'modified' && html` <span class="badge">${file.status}</span>`;
  return html`<section class="file box" id="${domId('diff', file.filename)}"><h2 class="file-head"><span class="path">${name}</span>${status}<span class="stat"><span class="plus">+${file.additions}</span> <span class="minus">−${file.deletions}</span></span></h2>
${renderPatch(file, lines)}</section>`;
}

function renderPatch(file: FileChange, { inLine, below }: Lines): Html {
  if (file.patch === null)
    return html`<p class="blank">${file.status === 'renamed' ? 'File renamed without changes.' : 'Binary file not shown.'}</p>`;
  const lines = parseHunks(file.patch).flatMap(listLines);
  if (lines.length > MOST_LINES) return html`<p class="blank">Large diffs are not shown.</p>`;
  const rows = lines.map((line) => html`${renderLine(line, inLine(line))}${below(line)}`);
  return html`<div class="scroll"><table class="diff"><caption class="hidden">Changes of ${file.filename}</caption><tbody>${rows}</tbody></table></div>`;
}

type FileThreads = { path: string; threads: Thread[] };

function linesOf(context: RepoPageContext, issue: PullIssue, { path, threads }: FileThreads): Lines {
  const wanted = readSpot(context);
  const row = (content: Part) => html`<tr class="inline"><td colspan="3">${content}</td></tr>`;
  return {
    inLine: (line) => {
      const spot = spotOf(line);
      if (!spot || !may(context, 'read')) return undefined;
      const query = new URLSearchParams({ path, side: spot.side, line: String(spot.line) });
      const href = `${issuePath(context.repo, issue)}/files?${query}#new-comment`;
      return html`<a class="add" href="${href}" aria-label="Comment on line ${spot.line}" title="Comment on line ${spot.line}">+</a>`;
    },
    below: (line) => {
      const threadsHere = threads.filter(
        ({ root, line: at }) => at !== null && standsOn(line, root.place.side, at),
      );
      const asked = wanted?.path === path && may(context, 'read') && standsOn(line, wanted.side, wanted.line);
      return [
        threadsHere.map((thread) => row(renderThread(context, thread, 'files'))),
        asked && row(renderLineForm(context, issue, wanted)),
      ];
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
  const label = `Comment on line ${line}`;
  const content = html`${renderTextBox({ id: 'line-body', label, placeholder: label, focus: true })}
<p class="actions"><a class="button" href="${target}/files">Cancel</a>${buttons}</p>`;
  return html`<div class="thread" id="new-comment">${renderForm(`${target}/line-comment`, content, fields)}</div>`;
}

function renderReviewForm(context: RepoPageContext, issue: PullIssue): Html {
  if (!may(context, 'read')) return html``;
  const own = issue.userId === context.visitor?.id;
  const pending = findPendingReview(context, issue);
  const waiting = pending
    ? context.world.store.reviewComments.filter((row) => row.reviewId === pending.id).length
    : 0;
  const choice = (value: string, label: string, hint: string) =>
    html`<label class="choice"><input type="radio" name="event" value="${value}"${value === 'COMMENT' && html` checked`}${own && value !== 'COMMENT' && html` disabled`}> <strong>${label}</strong> <span class="muted">${hint}</span></label>`;
  const form = renderForm(
    `${issuePath(context.repo, issue)}/review`,
    html`${renderTextBox({ id: 'review-body', label: 'Review', placeholder: 'Leave a comment', rows: 5 })}
<fieldset><legend class="hidden">Verdict</legend>${choice('COMMENT', 'Comment', 'Submit general feedback without explicit approval.')}${choice('APPROVE', 'Approve', 'Submit feedback and approve merging these changes.')}${choice('REQUEST_CHANGES', 'Request changes', 'Submit feedback that must be addressed before merging.')}</fieldset>
<p class="actions"><button class="primary">Submit review</button></p>`,
    { sha: issue.pull.headSha },
  );
  const count = waiting > 0 && html` <span class="count">${waiting}</span>`;
  return html`<details class="review-form" id="review-form"><summary class="button primary">${pending ? 'Finish your review' : 'Review changes'}${count}</summary><div class="popup">${form}</div></details>`;
}
