export type FeedPage<Row> = { kind: 'unchanged' } | { kind: 'changed'; rows: Row[]; etag: string | null };
