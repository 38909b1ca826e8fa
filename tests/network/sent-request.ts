import type { Twin } from '@mergexo/github-twin';

/** One request to GitHub. Times are milliseconds since 1970. */
export type SentRequest = {
  method: string;
  /** The path with its query. */
  path: string;
  via: 'rest' | 'graphql' | 'git';
  status: number;
  startMs: number;
  endMs: number;
};

/** Lists the requests that arrived since `sinceMs`, in order of arrival. */
export function readRequests({ history }: Twin, sinceMs: number): SentRequest[] {
  return history
    .list('request')
    .map(({ method, path, query, via, status, arrivedAt, at }) => ({
      method,
      path: query === '' ? path : `${path}?${query}`,
      via,
      status,
      startMs: Date.parse(arrivedAt),
      endMs: Date.parse(at),
    }))
    .filter(({ startMs }) => startMs >= sinceMs)
    .sort((a, b) => a.startMs - b.startMs || a.endMs - b.endMs);
}

/** False for git requests, which are not part of GitHub's API. */
export const isApi = ({ via }: SentRequest): boolean => via !== 'git';

/** GitHub counts every response except 304 against the hourly limit. */
export const isCounted = (request: SentRequest): boolean => isApi(request) && request.status !== 304;
