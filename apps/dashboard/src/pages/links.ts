import { webUrlOf } from '@mergexo/core/basics';
import { type Html, html, toWebUrl } from '../html.js';

export type Links = {
  issue(repo: string, issue: number | null): Html;
  pull(place: { repo: string; pr: number | null; url: string | null }): Html;
};

/** Creates links. An issue links to its timeline on the dashboard. The arrow after it, and every pull request number, lead to GitHub. */
export function createLinks(apiUrl: string): Links {
  const web = webUrlOf(apiUrl);
  return {
    issue(repo, issue) {
      if (issue === null) return html`${repo}`;
      return html`<a href="/issues/${repo}/${issue}">${repo}#${issue}</a><a class="out" href="${web}/${repo}/issues/${issue}" title="on GitHub" aria-label="${repo}#${issue} on GitHub">↗</a>`;
    },
    pull({ repo, pr, url }) {
      if (pr === null) return html`<span class="quiet">none yet</span>`;
      return html`<a href="${toWebUrl(url) ?? `${web}/${repo}/pull/${pr}`}">#${pr}</a>`;
    },
  };
}
