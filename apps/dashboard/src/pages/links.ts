import { describeHost } from '@mergexo/core/basics';
import { type Html, html, toWebUrl } from '../html.js';

export type Links = {
  /** The page of an issue on the dashboard, and an arrow to GitHub. */
  issue(repo: string, issue: number | null): Html;
  /** The issue on GitHub. */
  outward(repo: string, issue: number): Html;
  pull(place: { repo: string; pr: number | null; url: string | null }): Html;
  toIssue(repo: string, issue: number): string;
  toPull(place: { repo: string; pr: number; url: string | null }): string;
  toCommit(repo: string, sha: string): string;
};

/** Creates links. Titles link to pages of the dashboard; numbers and arrows link to GitHub. */
export function createLinks(apiUrl: string): Links {
  const web = describeHost(apiUrl).webUrl;
  const toIssue: Links['toIssue'] = (repo, issue) => `${web}/${repo}/issues/${issue}`;
  const toPull: Links['toPull'] = ({ repo, pr, url }) => toWebUrl(url) ?? `${web}/${repo}/pull/${pr}`;
  return {
    issue(repo, issue) {
      if (issue === null) return html`${repo}`;
      return html`<a href="/issues/${repo}/${issue}">${repo}#${issue}</a><a class="out" href="${toIssue(repo, issue)}" title="on GitHub" aria-label="${repo}#${issue} on GitHub">↗</a>`;
    },
    outward: (repo, issue) => html`<a href="${toIssue(repo, issue)}" title="on GitHub">${repo}#${issue}</a>`,
    pull({ repo, pr, url }) {
      if (pr === null) return html`<span class="quiet">none yet</span>`;
      return html`<a href="${toPull({ repo, pr, url })}" title="on GitHub">#${pr}</a>`;
    },
    toIssue,
    toPull,
    toCommit: (repo, sha) => `${web}/${repo}/commit/${sha}`,
  };
}
