import { Fault, type FaultInput, type FaultOf, timesOf } from './fault.js';

export type Target = { route: string; path: string; repo: string | null; user: string | null };
/** `wait` resolves with true if the fault is released, or with false if the client disconnects first. */
export type Armed = { fault: Fault; wait(gone: Promise<void>): Promise<boolean> };
export type FaultHandle = State['handle'];

export type Faults = ReturnType<typeof createFaults>;

/** `routes` are all routes of the twin. `isList` is true for routes that return pages of rows. */
export function createFaults({ routes, isList }: { routes: string[]; isList: (route: string) => boolean }) {
  const states: State[] = [];
  return {
    arm(input: FaultInput): FaultHandle {
      const fault = Fault.parse(input);
      const pattern = toPattern(fault.route);
      if (!routes.some((route) => pattern.test(route)))
        throw new Error(`the twin has no route "${fault.route}"`);
      const applies = (route: string) =>
        pattern.test(route) && (POSSIBLE[fault.kind]?.(route, isList(route)) ?? true);
      if (!routes.some(applies)) throw new Error(`a fault "${fault.kind}" cannot happen to "${fault.route}"`);
      const state = createState(`f${states.length + 1}`, fault, applies);
      states.push(state);
      return state.handle;
    },
    /** All faults since the start, including faults that are used up. */
    list: (): FaultHandle[] => states.map(({ handle }) => handle),
    /** Returns the faults that affect this request, and counts the request towards their `times`. */
    match: (target: Target): Armed[] =>
      states.filter((state) => state.takes(target)).map(({ armed }) => armed),
    /** Disarms all faults and lets waiting requests continue. */
    clear: () => {
      for (const { handle } of states) handle.clear();
    },
    /** Disarms all faults and drops waiting requests before they take effect, as if their clients had disconnected. */
    abandon: () => {
      for (const state of states) state.end(false);
    },
  };
}

export function pick<Kind extends Fault['kind']>(
  armed: Armed[],
  kind: Kind,
): (Armed & { fault: FaultOf<Kind> })[] {
  return armed.filter((one): one is Armed & { fault: FaultOf<Kind> } => one.fault.kind === kind);
}

type State = ReturnType<typeof createState>;

function createState(id: string, fault: Fault, applies: (route: string) => boolean) {
  let [left, skip, hits, waiting] = [timesOf(fault), fault.skip, 0, 0];
  let open = (_resume: boolean) => {};
  const opened = new Promise<boolean>((resolve) => {
    open = resolve;
  });
  const end = (resume: boolean) => {
    left = 0;
    open(resume);
  };
  const armed: Armed = {
    fault,
    wait: async (gone) => {
      waiting += 1;
      const released = await Promise.race([opened, gone.then(() => false)]);
      waiting -= 1;
      return released;
    },
  };
  return {
    armed,
    /** Disarms the fault. Waiting requests continue if `resume` is true, and are dropped otherwise. */
    end,
    handle: {
      id,
      fault,
      hits: () => hits,
      /** Number of requests that are waiting for this fault. */
      waiting: () => waiting,
      /** Lets the waiting requests continue, and disarms the fault. */
      release: () => end(true),
      clear: () => end(true),
    },
    takes: ({ route, path, repo, user }: Target): boolean => {
      const { path: onPath = path, repo: inRepo = repo, user: ofUser = user } = fault;
      const aimed = onPath === path && inRepo === repo && ofUser === user;
      if (left <= 0 || !aimed || !applies(route)) return false;
      if (skip > 0) {
        skip -= 1;
        return false;
      }
      left -= 1;
      hits += 1;
      return true;
    },
  };
}

function toPattern(route: string): RegExp {
  const literal = route.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`);
}

const PULLS = '/repos/{owner}/{repo}/pulls';
const PULL = `${PULLS}/{pull_number}`;
/** Git itself splits these lists into pages, so list faults cannot change their rows. */
const OF_GIT = /^GET \/repos\/\{owner\}\/\{repo\}\/(?:commits\/\{ref\}|compare\/\{basehead\})$/;

type Test = (route: string, isList: boolean) => boolean;

/** Tests whether a kind of fault can affect a route. Kinds without a test can affect any route. */
const POSSIBLE: Partial<Record<Fault['kind'], Test>> = {
  'refuse-push': (route) => route === 'GIT push',
  lag: (route, isList) => isList && !OF_GIT.test(route),
  shift: (route, isList) => isList && !OF_GIT.test(route) && !route.endsWith('/status'),
  stale: (route) => route === `GET ${PULLS}` || route === `GET ${PULL}`,
  'mergeable-null': (route) => [`GET ${PULL}`, `PATCH ${PULL}`, `POST ${PULLS}`].includes(route),
  'null-user': (route) => !/^GIT |\/graphql$/.test(route),
  truncated: (route) => !route.startsWith('GIT '),
};
