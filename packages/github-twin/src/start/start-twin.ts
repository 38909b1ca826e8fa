import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { type Clock, createSystemClock } from '../basics/clock.js';
import { createControl, repoNamed, userNamed } from '../control/control.js';
import { createActions } from '../control/workflow-control.js';
import { createFaults } from '../faults/faults.js';
import { currentActor, openHistory } from '../history/history.js';
import { createLimiter, GITHUB_LIMITS, type Limits } from '../limits/limiter.js';
import { createPages } from '../pages/create-pages.js';
import { createPerson } from '../people/people.js';
import { createRouter, type Router } from '../rest/router.js';
import { restRoutes } from '../routes/index.js';
import { GIT_ROUTES } from '../server/serve-git.js';
import { GRAPHQL_ROUTE } from '../server/serve-graphql.js';
import { createHandler } from '../server/server.js';
import { isList } from '../spec/slice.js';
import { createValidators } from '../spec/validators.js';
import { openStore } from '../store/open-store.js';
import { createGitRepos, type Quirks, stampOf, type World } from '../world/world.js';
import { applySeed } from './apply-seed.js';
import { type StateDirectory, takeDirectory } from './directory.js';
import { parseSeed, type SeedInput } from './seed.js';

export type TwinOptions = {
  /** Used when the directory holds no state yet. */
  seed?: SeedInput;
  /** Where state is kept; without it, in a temporary directory that `stop` removes. */
  dir?: string;
  strict?: boolean;
  clock?: Clock;
  port?: number;
  /** A unix socket to listen on besides: for clients that insist on api.github.com. */
  socket?: string;
  controlEndpoint?: boolean;
  limits?: Partial<Limits>;
  quirks?: Partial<Omit<Quirks, 'strict'>>;
  /** Pages for people with a browser, under the addresses that the API gives as `html_url`. */
  pages?: boolean;
};

export type Twin = Awaited<ReturnType<typeof startTwin>>;

export async function startTwin(options: TwinOptions = {}) {
  const directory = takeDirectory(options.dir);
  const router = createRouter(restRoutes);
  const world = orRelease(directory, () => openWorld(directory.root, router, options));
  const control = createControl(world);
  const as = (login: string) => createPerson(world, router, login);
  const handler = createHandler({
    world,
    router,
    control: options.controlEndpoint ? control : undefined,
    pages: options.pages ? createPages({ world, router, as }) : undefined,
  });
  const servers: Server[] = [];
  const stop = async () => {
    world.faults.abandon();
    await Promise.all(servers.splice(0).map(closeServer));
    await handler.settle();
    world.store.close();
    world.history.close();
    directory.release();
  };
  try {
    const main = await listen(createServer(handler.handle), { port: options.port ?? 0, host: '127.0.0.1' });
    servers.push(main);
    world.url = `http://127.0.0.1:${portOf(main)}`;
    if (options.socket) servers.push(await listen(createServer(handler.handle), { path: options.socket }));
    if (world.store.users.all().length === 0)
      await directory.seed(() => applySeed(world, parseSeed(options.seed ?? { users: [] })));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: world.url,
    apiUrl: world.url,
    gitUrl: (owner: string, name: string) => `${world.url}/${owner}/${name}.git`,
    tokens: readTokens(world),
    /** For what a bot cannot ask about itself. */
    userId: (login: string) => userNamed(world, login).id,
    control,
    history: world.history,
    actions: createActions(world),
    as,
    /** The bare repository itself, for checkers that look past the API. */
    repoDir: (name: string) => world.gitRepo(repoNamed(world, name)).dir,
    world,
    stop,
  };
}

function orRelease<T>(directory: StateDirectory, open: () => T): T {
  try {
    return open();
  } catch (error) {
    directory.release();
    throw error;
  }
}

function openWorld(root: string, router: Router, options: TwinOptions): World {
  const clock = options.clock ?? createSystemClock();
  const { history, store } = openState(root, clock);
  return {
    root,
    url: '',
    store,
    clock,
    history,
    faults: createFaults({
      routes: [...router.routes, ...GIT_ROUTES, GRAPHQL_ROUTE],
      isList: (route) => isList(sharedValidators().slice, route),
    }),
    limiter: createLimiter(clock, { ...GITHUB_LIMITS, ...options.limits }),
    validators: sharedValidators(),
    quirks: {
      strict: options.strict ?? true,
      reviewsMovePull: true,
      tamper: undefined,
      ...options.quirks,
    },
    gitRepo: createGitRepos(root),
    stamp: stampOf(clock),
    secret: randomBytes(16).toString('hex'),
  };
}

/** Whatever a clock says at first, time does not run backwards over what was stored. */
function openState(root: string, clock: Clock) {
  const history = openHistory(path.join(root, 'history.jsonl'), clock.now);
  try {
    const store = openStore({
      file: path.join(root, 'state.jsonl'),
      now: clock.now,
      onWrite: (change) =>
        history.record({ kind: 'write', by: currentActor(), ...change, row: { ...change.row } }),
    });
    clock.advance(Math.max(0, history.lastMs - clock.now(), store.latestMs() - clock.now()));
    return { history, store };
  } catch (error) {
    history.close();
    throw error;
  }
}

let validators: ReturnType<typeof createValidators> | undefined;

/** Compiled schemas are the same for every twin of a process, and not cheap. */
function sharedValidators() {
  validators ??= createValidators();
  return validators;
}

function readTokens({ store }: World): Record<string, string> {
  return Object.fromEntries(
    store.tokens.all().flatMap((token) => {
      const user = store.users.get(token.userId);
      return user ? [[user.login, token.secret]] : [];
    }),
  );
}

/** Longer than a busy machine makes a client in the same process wait: a connection that it reuses must be there still. */
const KEEP_ALIVE_MS = 120_000;

function listen(server: Server, where: { port: number; host: string } | { path: string }): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    server.listen(where, () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
