import { ApiError } from '../api-error.js';
import { findIssue, isPull } from '../domain/issues.js';
import { fullName } from '../domain/permissions.js';
import { freshRefs } from '../domain/sync-refs.js';
import { issuePath } from './bits.js';
import { renderCommitPage, renderFiles } from './files-page.js';
import { renderIssuePage } from './issue-page.js';
import type { Page } from './layout.js';
import { renderList, renderNewIssue, renderRepos } from './lists.js';
import { renderCommits, renderConversation } from './pull-page.js';
import { renderRunPage } from './run-page.js';
import { openRepo, type RepoSight, repoPath, type Sight } from './sight.js';

export type Shown = { kind: 'page'; page: Page } | { kind: 'elsewhere'; path: string };

const REPO = /^\/([\w.-]+)\/([\w.-]+)(?:\/(.*))?$/;

/** The addresses are GitHub's own, so that every `html_url` of the API leads to a page. */
export async function showPage(sight: Sight): Promise<Shown> {
  if (sight.path === '/') return { kind: 'page', page: renderRepos(sight) };
  const [found, owner = '', name = '', rest = ''] = REPO.exec(sight.path) ?? [];
  if (found === undefined) throw new ApiError(404, 'Not Found');
  const repo = openRepo(sight, { owner, repo: name });
  if (fullName(repo).toLowerCase() !== `${owner}/${name}`.toLowerCase())
    return { kind: 'elsewhere', path: `${repoPath(repo)}/${rest}` };
  await freshRefs(sight.world, repo);
  return showRepoPage({ ...sight, repo: sight.world.store.repos.get(repo.id) ?? repo }, rest);
}

async function showRepoPage(sight: RepoSight, rest: string): Promise<Shown> {
  const page = async (made: Page | Promise<Page>): Promise<Shown> => ({ kind: 'page', page: await made });
  if (rest === '') return { kind: 'elsewhere', path: `${repoPath(sight.repo)}/issues` };
  if (rest === 'issues' || rest === 'pulls') return page(renderList(sight, rest));
  if (rest === 'issues/new') return page(renderNewIssue(sight));
  const sha = /^commit\/([0-9a-f]{40})$/.exec(rest)?.[1];
  if (sha !== undefined) return page(renderCommitPage(sight, sha));
  const run = /^actions\/runs\/(\d{1,15})(?:\/job\/\d{1,15})?$/.exec(rest)?.[1];
  if (run !== undefined) return page(renderRunPage(sight, Number(run)));
  const [, kind, number, tab] = /^(issues|pull)\/(\d{1,15})(?:\/(commits|files))?$/.exec(rest) ?? [];
  if (kind === undefined) throw new ApiError(404, 'Not Found');
  const issue = findIssue(sight.world, sight.repo, Number(number));
  // One number space: GitHub sends the visitor on to whatever it is.
  if ((kind === 'pull') !== isPull(issue)) return { kind: 'elsewhere', path: issuePath(sight.repo, issue) };
  if (!isPull(issue)) return page(renderIssuePage(sight, issue));
  if (tab === 'commits') return page(renderCommits(sight, issue));
  return page(tab === 'files' ? renderFiles(sight, issue) : renderConversation(sight, issue));
}
