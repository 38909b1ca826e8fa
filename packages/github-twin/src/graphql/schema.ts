import { buildSchema } from 'graphql';

/** Of GitHub's GraphQL only what REST lacks, under GitHub's names; any other field is refused by validation. */
export const schema = buildSchema(`
  type User { login: String! }
  type PageInfo { hasNextPage: Boolean! endCursor: String }

  type PullRequestReviewComment { databaseId: Int fullDatabaseId: String }
  type PullRequestReviewCommentConnection { nodes: [PullRequestReviewComment] pageInfo: PageInfo! }
  type PullRequestReviewThread {
    id: ID! isResolved: Boolean! isOutdated: Boolean! resolvedBy: User
    comments(first: Int, after: String): PullRequestReviewCommentConnection!
  }
  type PullRequestReviewThreadConnection { nodes: [PullRequestReviewThread] pageInfo: PageInfo! }
  type PullRequest { reviewThreads(first: Int, after: String): PullRequestReviewThreadConnection! }
  type Repository { pullRequest(number: Int!): PullRequest }
  type Query {
    viewer: User!
    repository(owner: String!, name: String!): Repository
  }

  input ResolveReviewThreadInput { threadId: ID! clientMutationId: String }
  type ResolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
  type Mutation { resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload }
`);
