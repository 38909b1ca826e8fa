import type { Fault } from './fault.js';

const PULLS = '/repos/{owner}/{repo}/pulls';
const PULL = `${PULLS}/{pull_number}`;

/** Lists that git cuts into pages: they show what git has. */
const OF_GIT = ['/commits/{ref}', '/compare/{basehead}'].map((below) => `GET /repos/{owner}/{repo}${below}`);

type IsList = (route: string) => boolean;

/** Whether a kind of fault can do anything to a request of this route; a fault that cannot must not be armed in silence. */
export function faultApplies(kind: Fault['kind'], route: string, isList: IsList): boolean {
  const git = route.startsWith('GIT ');
  switch (kind) {
    case 'refuse-push':
      return route === 'GIT push';
    case 'lag':
      return isList(route) && !OF_GIT.includes(route);
    case 'shift':
      return isList(route) && !OF_GIT.includes(route) && !route.endsWith('/status');
    case 'stale':
      return route === `GET ${PULLS}` || route === `GET ${PULL}`;
    case 'mergeable-null':
      return [`GET ${PULL}`, `PATCH ${PULL}`, `POST ${PULLS}`].includes(route);
    case 'null-user':
      return !git && !route.endsWith('/graphql');
    case 'truncated':
      return !git;
    default:
      return true;
  }
}
