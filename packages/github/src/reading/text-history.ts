import { z } from 'zod';
import type { Requests } from '../http/requests.js';

/** Each version in `userContentEdits` contains the whole body after the edit, although its field is called `diff`. */
const FIELDS = `title body
      userContentEdits(first: 100) { nodes { editedAt diff } }
      timelineItems(first: 100, itemTypes: [RENAMED_TITLE_EVENT]) {
        nodes { ... on RenamedTitleEvent { createdAt previousTitle } }
        pageInfo { hasNextPage }
      }`;
const FIND = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      ... on Issue { ${FIELDS} }
      ... on PullRequest { ${FIELDS} }
    }
  }
}`;

const Edited = z.object({
  title: z.string(),
  body: z.string(),
  userContentEdits: z
    .object({ nodes: z.array(z.object({ editedAt: z.string(), diff: z.string().nullish() }).nullable()) })
    .nullish(),
  timelineItems: z.object({
    nodes: z.array(z.object({ createdAt: z.string(), previousTitle: z.string() }).nullable()),
    pageInfo: z.object({ hasNextPage: z.boolean() }),
  }),
});
const Found = z.object({ repository: z.object({ issueOrPullRequest: Edited.nullable() }) });

export function createTextHistory(requests: Requests) {
  return {
    /**
     * Fetches the earlier versions of an issue's or pull request's text, which REST lacks. Null without GraphQL or
     * permission.
     */
    async fetchTextHistory(repo: string, number: number) {
      const [owner, name] = repo.split('/');
      const variables = { owner, name, number };
      const found = await requests.askGraph({ kind: 'query', repo, text: FIND, variables }, Found);
      const edited = found?.repository.issueOrPullRequest;
      if (edited == null) return null;
      const { title, body, userContentEdits, timelineItems } = edited;
      const versions = (userContentEdits?.nodes ?? []).filter((node) => node !== null);
      const renames = timelineItems.nodes.filter((node) => node !== null);
      return {
        title,
        body,
        bodies: versions.map(({ editedAt, diff }) => ({ at: editedAt, text: diff ?? null })),
        renames: renames.map(({ createdAt, previousTitle }) => ({ at: createdAt, from: previousTitle })),
        hasMoreRenames: timelineItems.pageInfo.hasNextPage,
      };
    },
  };
}
