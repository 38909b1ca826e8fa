import { buildSchema, type ExecutionResult, type GraphQLArgs, graphql } from 'graphql';
import { GRAPHQL_NEEDS } from '../apps/route-permissions.js';
import { ApiError } from '../basics/api-error.js';
import { findIssue, findPull } from '../domain/issues.js';
import { findRepo } from '../domain/permissions.js';
import { readNodeId } from '../views/user.js';
import { type Slice, toConnection } from './connection.js';
import { toEdited } from './edits.js';
import { listThreads, notFound, setResolved, toThread, type Viewer } from './threads.js';

type Asked = Pick<GraphQLArgs, 'source' | 'variableValues' | 'operationName'>;

export function answerGraphQL(viewer: Viewer, asked: Asked): Promise<ExecutionResult> {
  return graphql({ schema, rootValue: rootOf(viewer), ...asked });
}

type Input = { input: { threadId: string; clientMutationId?: string | null } };

function rootOf(viewer: Viewer) {
  return {
    viewer: { login: viewer.user.login, databaseId: viewer.user.id },
    repository: (name: { owner: string; name: string }) => readRepository(viewer, name),
    resolveReviewThread: async ({ input }: Input) => ({
      ...(await setResolved(viewer, readNodeId('PRRT', input.threadId), true)),
      clientMutationId: input.clientMutationId ?? null,
    }),
  };
}

function readRepository(viewer: Viewer, { owner, name }: { owner: string; name: string }) {
  const missing = `Could not resolve to a Repository with the name '${owner}/${name}'.`;
  const repo = orNotFound(missing, () => findRepo(viewer, `${owner}/${name}`));
  const where = { ...viewer, repo };
  return {
    pullRequest: ({ number }: { number: number }) => {
      viewer.use(repo, GRAPHQL_NEEDS.pullRequest);
      const gone = `Could not resolve to a PullRequest with the number of ${number}.`;
      const issue = orNotFound(gone, () => findPull(where, number));
      return {
        ...toEdited(issue),
        mergeCommit: issue.pull.mergeCommitSha === null ? null : { oid: issue.pull.mergeCommitSha },
        reviewThreads: (slice: Slice) =>
          toConnection(listThreads(where, issue), slice, (root) => toThread(where, root)),
      };
    },
    issueOrPullRequest: ({ number }: { number: number }) => {
      const gone = `Could not resolve to an issue or pull request with the number of ${number}.`;
      const issue = orNotFound(gone, () => findIssue(where, number));
      viewer.use(repo, issue.pull ? GRAPHQL_NEEDS.pullRequest : GRAPHQL_NEEDS.issue);
      return toEdited(issue);
    },
  };
}

function orNotFound<T>(message: string, find: () => T): T {
  try {
    return find();
  } catch (error) {
    throw error instanceof ApiError ? notFound(message) : error;
  }
}

/** The part of GitHub's GraphQL schema that REST lacks. Validation rejects all other fields. */
export const schema = buildSchema(`
  type User { login: String! databaseId: Int }
  type Commit { oid: String! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }

  type PullRequestReviewComment { databaseId: Int fullDatabaseId: String }
  type PullRequestReviewCommentConnection { nodes: [PullRequestReviewComment] pageInfo: PageInfo! }
  type PullRequestReviewThread {
    id: ID! isResolved: Boolean! isOutdated: Boolean! resolvedBy: User
    comments(first: Int, after: String): PullRequestReviewCommentConnection!
  }
  type PullRequestReviewThreadConnection { nodes: [PullRequestReviewThread] pageInfo: PageInfo! }

  type UserContentEdit { editedAt: String! diff: String }
  type UserContentEditConnection { nodes: [UserContentEdit] pageInfo: PageInfo! }
  type RenamedTitleEvent { createdAt: String! previousTitle: String! currentTitle: String! }
  union IssueTimelineItems = RenamedTitleEvent
  type IssueTimelineItemsConnection { nodes: [IssueTimelineItems] pageInfo: PageInfo! }
  enum IssueTimelineItemsItemType { RENAMED_TITLE_EVENT }
  union PullRequestTimelineItems = RenamedTitleEvent
  type PullRequestTimelineItemsConnection { nodes: [PullRequestTimelineItems] pageInfo: PageInfo! }
  enum PullRequestTimelineItemsItemType { RENAMED_TITLE_EVENT }
  type Issue {
    title: String! body: String! lastEditedAt: String
    userContentEdits(first: Int, after: String): UserContentEditConnection
    timelineItems(
      first: Int, after: String, itemTypes: [IssueTimelineItemsItemType!]!
    ): IssueTimelineItemsConnection!
  }
  type PullRequest {
    title: String! body: String! lastEditedAt: String
    userContentEdits(first: Int, after: String): UserContentEditConnection
    timelineItems(
      first: Int, after: String, itemTypes: [PullRequestTimelineItemsItemType!]!
    ): PullRequestTimelineItemsConnection!
    mergeCommit: Commit
    reviewThreads(first: Int, after: String): PullRequestReviewThreadConnection!
  }
  union IssueOrPullRequest = Issue | PullRequest
  type Repository {
    pullRequest(number: Int!): PullRequest
    issueOrPullRequest(number: Int!): IssueOrPullRequest
  }
  type Query {
    viewer: User!
    repository(owner: String!, name: String!): Repository
  }

  input ResolveReviewThreadInput { threadId: ID! clientMutationId: String }
  type ResolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
  type Mutation { resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload }
`);
