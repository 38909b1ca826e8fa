import type { Route } from './call.js';

/** Parameters that may contain slashes, encoded or not. */
const GREEDY = new Set(['ref', 'path', 'branch', 'basehead', 'name']);

export type Match = { route: Route; params: Record<string, string> };
export type Router = { match(method: string, path: string): Match | undefined; routes: string[] };

/** Creates a router. The most specific template wins, so that `/issues/comments` is not an issue called "comments". */
export function createRouter(routes: Route[]): Router {
  const compiled = routes
    .map((route) => ({ route, pattern: toPattern(route.template), literals: countLiterals(route.template) }))
    .sort((a, b) => b.literals - a.literals);
  return {
    routes: routes.map((route) => `${route.method} ${route.template}`),
    match: (method, path) => {
      for (const { route, pattern } of compiled) {
        if (route.method !== method) continue;
        const found = pattern.exec(path);
        const params = found && decode(found.groups ?? {});
        if (params) return { route, params };
      }
      return undefined;
    },
  };
}

function toPattern(template: string): RegExp {
  const source = template
    .split('/')
    .slice(1)
    .map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1];
      if (name === undefined) return `/${part}`;
      // `/contents` without a path is the root directory.
      if (name === 'path') return '(?:/(?<path>.*))?';
      return `/(?<${name}>${GREEDY.has(name) ? '.+' : '[^/]+'})`;
    })
    .join('');
  return new RegExp(`^${source}$`);
}

const countLiterals = (template: string) =>
  template.split('/').filter((part) => part && !part.startsWith('{')).length;

function decode(groups: Record<string, string | undefined>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(
      Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value ?? '')]),
    );
  } catch {
    return undefined;
  }
}
