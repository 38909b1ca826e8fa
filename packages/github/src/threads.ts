import { z } from 'zod';
import type { Requests } from './http/requests.js';

/** An account. The login is empty, and the id null, if GitHub does not say who it was, as for some bots. */
export type Resolver = { login: string; id: number | null };

export type Resolution = 'resolved' | 'absent' | 'unavailable';

/** Reads `fullDatabaseId`, because `databaseId` is a 32-bit number and too small for new ids. */
const FIND = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviewThreads(first: 100, after: $after) {
        nodes { id isResolved resolvedBy { login databaseId } comments(first: 50) { nodes { fullDatabaseId } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;
const RESOLVE = `mutation ($threadId: ID!) {
  resolveReviewThread(input: { threadId: $threadId }) { thread { isResolved } }
}`;

const listOf = <Row extends z.ZodType>(row: Row) => z.array(row.nullable()).nullish();
const Thread = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  resolvedBy: z.object({ login: z.string(), databaseId: z.number().nullish() }).nullish(),
  comments: z.object({ nodes: listOf(z.object({ fullDatabaseId: z.coerce.number() })) }),
});
type Thread = z.infer<typeof Thread>;
const ThreadPage = z.object({
  nodes: listOf(Thread),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
});
const Found = z.object({
  repository: z.object({ pullRequest: z.object({ reviewThreads: ThreadPage }).nullable() }),
});
const Resolved = z.object({
  resolveReviewThread: z.object({ thread: z.object({ isResolved: z.literal(true) }) }),
});

/** Maximum number of pages: ten pages hold 1,000 threads. */
const MAX_PAGES = 10;

export function createThreads(requests: Requests) {
  /** Yields the threads page by page. Yields null if the server has no GraphQL or the token lacks permission. */
  const listThreads = async function* (repo: string, number: number): AsyncGenerator<Thread[] | null> {
    const [owner, name] = repo.split('/');
    let after: string | null = null;
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const variables: object = { owner, name, number, after };
      const found = await requests.askGraph({ kind: 'query', repo, text: FIND, variables }, Found);
      const threads = found?.repository.pullRequest?.reviewThreads;
      yield found === null ? null : (threads?.nodes ?? []).filter((thread) => thread !== null);
      if (!threads?.pageInfo.hasNextPage) return;
      after = threads.pageInfo.endCursor ?? null;
    }
  };
  const findThread = async (repo: string, number: number, commentId: number) => {
    for await (const threads of listThreads(repo, number)) {
      if (threads === null) return 'unavailable';
      const thread = threads.find((candidate) => containsComment(candidate, commentId));
      if (thread) return thread;
    }
    return 'absent';
  };

  return {
    /** Maps the id of each comment in a resolved thread to the account that resolved it. Empty without GraphQL. */
    async fetchResolvedComments(repo: string, number: number): Promise<ReadonlyMap<number, Resolver>> {
      const resolved = new Map<number, Resolver>();
      for await (const threads of listThreads(repo, number))
        for (const { isResolved, resolvedBy, comments } of threads ?? [])
          for (const comment of isResolved ? (comments.nodes ?? []) : [])
            if (comment)
              resolved.set(comment.fullDatabaseId, {
                login: resolvedBy?.login ?? '',
                id: resolvedBy?.databaseId ?? null,
              });
      return resolved;
    },

    /**
     * Resolves the thread of a review comment, which REST cannot do. Returns 'absent' if the comment is not among the
     * first 50 comments of any of the first 1,000 threads, and 'unavailable' without GraphQL or permission.
     */
    async resolveReviewThread(repo: string, number: number, commentId: number): Promise<Resolution> {
      const thread = await findThread(repo, number, commentId);
      if (typeof thread === 'string') return thread;
      if (thread.isResolved) return 'resolved';
      const variables = { threadId: thread.id };
      const done = await requests.askGraph({ kind: 'mutation', repo, text: RESOLVE, variables }, Resolved);
      return done === null ? 'unavailable' : 'resolved';
    },
  };
}

function containsComment({ comments }: Thread, commentId: number): boolean {
  return (comments.nodes ?? []).some((comment) => comment?.fullDatabaseId === commentId);
}
