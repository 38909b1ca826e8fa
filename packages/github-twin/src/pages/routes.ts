import { ApiError } from '../basics/api-error.js';
import { findIssue, isPull } from '../domain/issues.js';
import { fullName } from '../domain/permissions.js';
import { freshRefs } from '../domain/sync-refs.js';
import { issuePath } from './parts/elements.js';
import type { Page } from './parts/layout.js';
import { renderCommitPage, renderFiles } from './views/files-page.js';
import { renderIssuePage } from './views/issue-page.js';
import { renderList, renderNewIssue, renderRepos } from './views/lists.js';
import { renderCommits, renderConversation } from './views/pull-page.js';
import { renderRunPage } from './views/run-page.js';
import { openRepo, type PageContext, type RepoPageContext, repoPath } from './visit/page-context.js';

export type Shown = { kind: 'page'; page: Page } | { kind: 'elsewhere'; path: string };

const REPO = /^\/([\w.-]+)\/([\w.-]+)(?:\/(.*))?$/;

/** The addresses are GitHub's own, so that every `html_url` of the API leads to a page. */
export async function showPage(context: PageContext): Promise<Shown> {
  if (context.path === '/') return { kind: 'page', page: renderRepos(context) };
  const [found, owner = '', name = '', rest = ''] = REPO.exec(context.path) ?? [];
  if (found === undefined) throw new ApiError(404, 'Not Found');
  const repo = openRepo(context, { owner, repo: name });
  if (fullName(repo).toLowerCase() !== `${owner}/${name}`.toLowerCase())
    return { kind: 'elsewhere', path: `${repoPath(repo)}/${rest}` };
  await freshRefs(context.world, repo);
  return showRepoPage({ ...context, repo: context.world.store.repos.get(repo.id) ?? repo }, rest);
}

async function showRepoPage(context: RepoPageContext, rest: string): Promise<Shown> {
  const page = async (made: Page | Promise<Page>): Promise<Shown> => ({ kind: 'page', page: await made });
  if (rest === '') return { kind: 'elsewhere', path: `${repoPath(context.repo)}/issues` };
  if (rest === 'issues' || rest === 'pulls') return page(renderList(context, rest));
  if (rest === 'issues/new') return page(renderNewIssue(context));
  const sha = /^commit\/([0-9a-f]{40})$/.exec(rest)?.[1];
  if (sha !== undefined) return page(renderCommitPage(context, sha));
  const run = /^actions\/runs\/(\d{1,15})(?:\/job\/\d{1,15})?$/.exec(rest)?.[1];
  if (run !== undefined) return page(renderRunPage(context, Number(run)));
  const [, kind, number, tab] = /^(issues|pull)\/(\d{1,15})(?:\/(commits|files))?$/.exec(rest) ?? [];
  if (kind === undefined) throw new ApiError(404, 'Not Found');
  const issue = findIssue(context.world, context.repo, Number(number));
  // One number space: GitHub sends the visitor on to whatever it is.
  if ((kind === 'pull') !== isPull(issue)) return { kind: 'elsewhere', path: issuePath(context.repo, issue) };
  if (!isPull(issue)) return page(renderIssuePage(context, issue));
  if (tab === 'commits') return page(renderCommits(context, issue));
  return page(tab === 'files' ? renderFiles(context, issue) : renderConversation(context, issue));
}
