import { type Html, html, toWebUrl } from '../html.js';

export type Links = {
  issue(repo: string, issue: number | null): Html;
  pull(place: { repo: string; pr: number | null; url: string | null }): Html;
};

/** The issue leads to its timeline here, the arrow and the pull request to GitHub. */
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

/** api.github.com → github.com; an Enterprise Server has its pages on the host that also serves /api/v3. */
function webUrlOf(apiUrl: string): string {
  const { protocol, host } = new URL(apiUrl);
  return `${protocol}//${host.replace(/^api\./, '')}`;
}
