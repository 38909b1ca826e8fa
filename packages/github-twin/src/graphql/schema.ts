import { buildSchema } from 'graphql';

/** Of GitHub's GraphQL only what REST lacks, under GitHub's names; any other field is refused by validation. */
export const schema = buildSchema(`
  scalar URI
  scalar DateTime
  interface Node { id: ID! }
  interface Actor { login: String! url: URI! }
  type User implements Actor & Node { id: ID! login: String! databaseId: Int url: URI! name: String }
  type Bot implements Actor & Node { id: ID! login: String! databaseId: Int url: URI! }
  type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! endCursor: String startCursor: String }
  enum PullRequestState { OPEN CLOSED MERGED }
  enum DiffSide { LEFT RIGHT }

  type PullRequestReviewComment implements Node {
    id: ID! databaseId: Int fullDatabaseId: String body: String! author: Actor url: URI! createdAt: DateTime! path: String!
    outdated: Boolean!
  }
  type PullRequestReviewCommentConnection { nodes: [PullRequestReviewComment] pageInfo: PageInfo! totalCount: Int! }
  type PullRequestReviewThread implements Node {
    id: ID! isResolved: Boolean! isOutdated: Boolean! isCollapsed: Boolean! path: String! line: Int originalLine: Int
    diffSide: DiffSide! resolvedBy: User viewerCanResolve: Boolean! viewerCanUnresolve: Boolean! viewerCanReply: Boolean!
    comments(first: Int, after: String): PullRequestReviewCommentConnection!
    pullRequest: PullRequest!
  }
  type PullRequestReviewThreadConnection { nodes: [PullRequestReviewThread] pageInfo: PageInfo! totalCount: Int! }
  type PullRequest implements Node {
    id: ID! fullDatabaseId: String number: Int! title: String! body: String! state: PullRequestState! url: URI!
    isDraft: Boolean! headRefName: String! headRefOid: String! baseRefName: String! baseRefOid: String! author: Actor
    createdAt: DateTime! updatedAt: DateTime!
    reviewThreads(first: Int, after: String): PullRequestReviewThreadConnection!
  }
  type Repository implements Node {
    id: ID! databaseId: Int name: String! nameWithOwner: String! url: URI! isPrivate: Boolean!
    pullRequest(number: Int!): PullRequest
  }
  type RateLimit { limit: Int! cost: Int! remaining: Int! resetAt: DateTime! used: Int! }
  type Query {
    viewer: User!
    rateLimit: RateLimit
    repository(owner: String!, name: String!): Repository
    node(id: ID!): Node
  }

  input ResolveReviewThreadInput { threadId: ID! clientMutationId: String }
  input UnresolveReviewThreadInput { threadId: ID! clientMutationId: String }
  type ResolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
  type UnresolveReviewThreadPayload { thread: PullRequestReviewThread clientMutationId: String }
  type Mutation {
    resolveReviewThread(input: ResolveReviewThreadInput!): ResolveReviewThreadPayload
    unresolveReviewThread(input: UnresolveReviewThreadInput!): UnresolveReviewThreadPayload
  }
`);
