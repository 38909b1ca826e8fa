import type { Links } from '@mergexo/core/turns';
import type { Issue } from '@mergexo/github';
import type { Pull } from '@mergexo/state';
import { fetchLinked } from '../threads/fetch-linked.js';
import type { ListTools, Snapshot } from '../threads/list-pull.js';
import { readDiscussion } from '../threads/read-discussion.js';
import { readIssueComments } from '../threads/select-issue-comments.js';
import type { Repo } from '../tools.js';
import type { Look } from './look-at-pull.js';

/** Texts that explain the new feedback. */
export type Background = Links & {
  issueComments: ReturnType<typeof readIssueComments>;
  /** Ids of line comments in resolved threads. */
  resolved: ReadonlySet<number>;
};

/** Reads the background of new feedback. Sends requests only for linked issues and for comments on lines. */
export async function readBackground(
  tools: ListTools,
  repo: Repo,
  { pull, snapshot, issue }: { pull: Pull; snapshot: Snapshot; issue: Issue },
): Promise<Background> {
  const { fullName } = repo.config;
  const remarks = tools.state.listUnclaimedEvents(repo.id, pull.prNumber).map(({ payload }) => payload);
  const hasLines = remarks.some(({ kind }) => kind === 'review');
  const resolved = hasLines ? await tools.github.fetchResolvedComments(fullName, pull.prNumber) : new Map();
  const issueComments = readIssueComments(tools, repo, issue.number);
  const links = await fetchLinked(tools, repo, {
    texts: [...remarks, issue, ...issueComments, snapshot.pull].map(({ body }) => body),
    except: [issue.number, pull.prNumber],
  });
  return { issueComments, ...links, resolved: new Set(resolved.keys()) };
}

/** Reads the issues and pull requests that the texts of a review or fix mention. */
export function readLinks(tools: ListTools, repo: Repo, look: Look): Promise<Links> {
  const { seen, snapshot, issue } = look;
  const { entries } = readDiscussion(tools, repo, { pull: seen, ...look });
  return fetchLinked(tools, repo, {
    texts: [issue, ...entries, snapshot.pull].map(({ body }) => body),
    except: [issue.number, seen.prNumber],
  });
}
