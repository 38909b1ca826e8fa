import { notFound } from '../basics/api-error.js';
import { findIssue, isPull } from '../domain/issues.js';
import { fullName } from '../domain/permissions.js';
import { findInstallPage } from './apps/app-pages.js';
import type { Page } from './parts/layout.js';
import {
  issuePath,
  openRepo,
  type PageContext,
  type RepoPageContext,
  repoPath,
} from './parts/page-context.js';
import { renderFiles } from './views/files-page.js';
import { renderIssuePage } from './views/issue-page.js';
import { renderList, renderNewIssue, renderRepos } from './views/lists.js';
import { renderConversation } from './views/pull-page.js';
import { renderRunPage } from './views/run-page.js';

export type Shown = { kind: 'page'; page: Page } | { kind: 'elsewhere'; path: string };

const REPO = /^\/([\w.-]+)\/([\w.-]+)(?:\/(.*))?$/;

/** Renders the page for a path. The `html_url` of issues, pull requests and workflow runs leads to such a path. */
export async function showPage(context: PageContext): Promise<Shown> {
  if (context.path === '/') return { kind: 'page', page: renderRepos(context) };
  const installPage = findInstallPage(context);
  if (installPage !== undefined) return { kind: 'page', page: installPage };
  const [found, owner = '', name = '', rest = ''] = REPO.exec(context.path) ?? [];
  if (found === undefined) throw notFound();
  const repo = openRepo(context, `${owner}/${name}`);
  if (fullName(repo).toLowerCase() !== `${owner}/${name}`.toLowerCase())
    return { kind: 'elsewhere', path: `${repoPath(repo)}/${rest}` };
  return showRepoPage({ ...context, repo }, rest);
}

async function showRepoPage(context: RepoPageContext, rest: string): Promise<Shown> {
  const page = async (made: Page | Promise<Page>): Promise<Shown> => ({ kind: 'page', page: await made });
  if (rest === '') return { kind: 'elsewhere', path: `${repoPath(context.repo)}/issues` };
  if (rest === 'issues' || rest === 'pulls') return page(renderList(context, rest));
  if (rest === 'issues/new') return page(renderNewIssue(context));
  const run = /^actions\/runs\/(\d{1,15})(?:\/job\/\d{1,15})?$/.exec(rest)?.[1];
  if (run !== undefined) return page(renderRunPage(context, Number(run)));
  const [, kind, number, tab] = /^(issues|pull)\/(\d{1,15})(?:\/(files))?$/.exec(rest) ?? [];
  if (kind === undefined) throw notFound();
  const issue = findIssue(context, Number(number));
  // Issues and pull requests share one number sequence, so GitHub redirects to the right page.
  if ((kind === 'pull') !== isPull(issue)) return { kind: 'elsewhere', path: issuePath(context.repo, issue) };
  if (!isPull(issue)) return page(renderIssuePage(context, issue));
  return page(tab === 'files' ? renderFiles(context, issue) : renderConversation(context, issue));
}
