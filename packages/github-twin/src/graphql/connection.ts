import { GraphQLError } from 'graphql';

export type Slice = { first?: number | null; after?: string | null };

/** Creates a Relay connection from rows. As on GitHub, `first` is required and at most 100. */
export function toConnection<Row, Node>(rows: Row[], { first, after }: Slice, toNode: (row: Row) => Node) {
  if (first == null)
    throw new GraphQLError('You must provide a `first` or `last` value to properly paginate the connection.');
  if (first < 1 || first > 100)
    throw new GraphQLError(`Requesting ${first} records exceeds the \`first\` limit of 100 records.`);
  const start = after ? Number(Buffer.from(after, 'base64').toString()) : 0;
  const end = Math.min(rows.length, start + first);
  return {
    nodes: rows.slice(start, end).map(toNode),
    pageInfo: {
      hasNextPage: end < rows.length,
      endCursor: end > start ? Buffer.from(String(end)).toString('base64') : null,
    },
  };
}
