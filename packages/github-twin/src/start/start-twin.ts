import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { listUsedPermissions } from '../apps/list-used-permissions.js';
import { type Clock, createSystemClock } from '../basics/clock.js';
import { type AppInput, createAppControl, registerApp } from '../control/app-control.js';
import { createControl, repoNamed, userNamed } from '../control/control.js';
import { createActions } from '../control/workflow-control.js';
import { createFaults } from '../faults/faults.js';
import { createMemoryRoot, dropMemoryRoot } from '../git/memory/memory-repos.js';
import { createHistory, currentActor, type HistoryEntry } from '../history/history.js';
import { createLatency } from '../http/latency.js';
import type { Journal } from '../journal/journal.js';
import { createLimiter, GITHUB_LIMITS, type Limits } from '../limits/limiter.js';
import { createPages } from '../pages/create-pages.js';
import { createPerson } from '../people/people.js';
import { type ObjectPush, pushObjects } from '../people/push-objects.js';
import { createRouter, type Router } from '../rest/router.js';
import { restRoutes } from '../routes/index.js';
import { type Asked, type Asking, askHandler } from '../server/ask-handler.js';
import { GIT_ROUTES } from '../server/serve-git.js';
import { GRAPHQL_ROUTE } from '../server/serve-graphql.js';
import { MANIFEST_ROUTE } from '../server/serve-manifest.js';
import { createHandler } from '../server/server.js';
import { isList } from '../spec/load-spec.js';
import { createValidators, type Validators } from '../spec/validators.js';
import { createStore } from '../store/create-store.js';
import { createWebhooks, type WebhookOptions, type Webhooks } from '../webhooks/create-webhooks.js';
import { createGitRepos, type Quirks, type World } from '../world/world.js';
import { applySeed } from './apply-seed.js';
import { openDirectory } from './directory.js';
import { restore } from './restore.js';
import { parseSeed, type SeedInput } from './seed.js';

export type TwinOptions = {
  seed?: SeedInput;
  /** The directory for the state. Without a directory, the state is lost when the twin stops. */
  dir?: string;
  clock?: Clock;
  port?: number;
  /** An additional unix socket, for clients that can only connect to api.github.com. */
  socket?: string;
  limits?: Partial<Limits>;
  quirks?: Partial<Quirks>;
  /** Serves pages for browsers, at the URLs that the API returns as `html_url`. */
  pages?: boolean;
  /** Mean delay of an API response. Each delay varies by up to 20 %. */
  latencyMs?: number;
  /** Imitates an Enterprise Server of this version, such as `3.19.2`, instead of github.com. */
  enterpriseVersion?: string;
  /** Sends signed deliveries about every change to this address. */
  webhook?: WebhookOptions;
  /**
   * Runs without sockets, processes and files, for simulations: repositories are in memory, `ask` sends requests, and
   * `pushObjects` pushes.
   */
  inProcess?: boolean;
  /** Called for each entry of the history. */
  onRecord?: (entry: HistoryEntry) => void;
  /** False skips the validation of responses against GitHub's API description, which takes most of a request's time. */
  validates?: boolean;
  /** Enables `/_twin/`, where other programs on this machine can set faults and read the history without a token. */
  controlEndpoint?: boolean;
};

/** An interface, so that inferred types show the name `Twin`. */
export interface Twin extends Awaited<ReturnType<typeof startTwin>> {}

export async function startTwin(options: TwinOptions = {}) {
  const seed = parseSeed(options.seed ?? { users: [] });
  const directory = options.dir === undefined ? undefined : await openDirectory(options.dir);
  const root = directory?.root ?? (options.inProcess ? createMemoryRoot() : createRoot());
  const router = createRouter(restRoutes);
  let webhooks: Webhooks | undefined;
  const onRecord = (entry: HistoryEntry): void => {
    webhooks?.hear(entry);
    options.onRecord?.(entry);
  };
  const world = createWorld({ root, router, options, journal: directory?.journal, onRecord });
  const as = (login: string) => createPerson(world, router, login);
  const pages = options.pages ? createPages({ world, router, as }) : undefined;
  const handler = createHandler({ world, router, pages, control: options.controlEndpoint ?? false });
  const servers: Server[] = [];
  const stop = async () => {
    world.faults.abandon();
    await webhooks?.stop();
    await Promise.all(servers.splice(0).map(closeServer));
    await handler.settle();
    if (directory) directory.release();
    else removeRoot(root);
  };
  try {
    if (directory && !directory.isNew) await restore(world, directory.journal.notes);
    // After the restoration, because the webhooks compare each change with the rows that exist now.
    webhooks = createWebhooks(world, options.webhook);
    if (!options.inProcess) {
      const main = await listen(createServer(handler.handle), { port: options.port ?? 0, host: '127.0.0.1' });
      servers.push(main);
      world.url = `http://127.0.0.1:${portOf(main)}`;
    }
    if (options.socket) servers.push(await listen(createServer(handler.handle), { path: options.socket }));
    if (!directory || directory.isNew) await applySeed(world, seed, as);
    if (directory?.isNew) directory.finishSeed();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: world.url,
    apiUrl: world.url,
    gitUrl: (owner: string, name: string) => `${world.url}/${owner}/${name}.git`,
    tokens: readTokens(world),
    /** Returns a user's id. Tests need it for bots, because a bot cannot request its own id from the API. */
    userId: (login: string) => userNamed(world, login).id,
    control: createControl(world),
    history: world.history,
    webhooks,
    actions: createActions(world),
    /** An App of the seed, or one that was registered later. */
    app: (slug: string) => createAppControl(world, slug),
    /** Lists the permissions that Apps used so far, and for which routes. */
    permissionsUsed: () => listUsedPermissions(world.history),
    registerApp: (app: AppInput) => registerApp(world, app),
    as,
    /** Sends a request without a socket. */
    ask: (asked: Asked): Asking => askHandler(handler.handle, asked),
    /** Pushes a branch of a twin with the option `inProcess`. */
    pushObjects: (login: string, name: string, push: ObjectPush) =>
      pushObjects({ world, repo: repoNamed(world, name), user: userNamed(world, login) }, push),
    /** Path to the bare repository, for tests that read it without the API. */
    repoDir: (name: string) => world.gitRepo(repoNamed(world, name)).dir,
    world,
    stop,
  };
}

function createRoot(): string {
  return fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'twin-'));
}

function removeRoot(root: string): void {
  dropMemoryRoot(root);
  fs.rmSync(root, { recursive: true, force: true, maxRetries: 5 });
}

type WorldParts = {
  root: string;
  router: Router;
  options: TwinOptions;
  journal: Journal | undefined;
  onRecord: (entry: HistoryEntry) => void;
};

function createWorld({ root, router, options, journal, onRecord }: WorldParts): World {
  const clock = options.clock ?? createSystemClock();
  const note: World['note'] = (facts) =>
    journal?.append({ atMs: clock.now(), lastId: store.lastId(), ...facts });
  const history = createHistory(clock.now, (entry) => {
    note({ entry });
    onRecord(entry);
  });
  const store = createStore({
    now: clock.now,
    onChange: (change) =>
      history.record({ kind: 'write', by: currentActor(), ...change, row: { ...change.row } }),
    onToken: (token) => note({ token }),
  });
  // All twins of a process share the validators, because compiling them is slow.
  validators ??= createValidators();
  const { spec } = validators;
  return {
    root,
    url: 'http://127.0.0.1:1',
    enterpriseVersion: options.enterpriseVersion,
    clock,
    history,
    store,
    nextLatencyMs: createLatency(options.latencyMs ?? 0),
    note,
    flush: () => journal?.flush(),
    faults: createFaults({
      routes: [
        ...router.routes,
        ...GIT_ROUTES,
        GRAPHQL_ROUTE,
        `${MANIFEST_ROUTE.method} ${MANIFEST_ROUTE.template}`,
      ],
      isList: (route) => isList(spec, route),
    }),
    limiter: createLimiter(clock, { ...GITHUB_LIMITS, ...options.limits }),
    validators: options.validates === false ? { ...validators, checkResponse: () => [] } : validators,
    quirks: { ...USUAL_QUIRKS, ...options.quirks },
    gitRepo: createGitRepos(root),
    secret: randomBytes(16).toString('hex'),
    uploads: [],
    deliveries: [],
  };
}

const USUAL_QUIRKS: World['quirks'] = {
  reviewsMovePull: true,
  dependenciesMoveIssue: false,
  installationTokenSeconds: 3_600,
  tamper: undefined,
};

let validators: Validators | undefined;

function readTokens({ store }: World): Record<string, string> {
  return Object.fromEntries(
    store.tokens.all().flatMap((token) => {
      if (token.installation) return [];
      const user = store.users.get(token.userId);
      return user ? [[user.login, token.secret]] : [];
    }),
  );
}

/** Long enough for a client on a busy machine to reuse its connection. */
const KEEP_ALIVE_MS = 120_000;

async function listen(
  server: Server,
  where: { port: number; host: string } | { path: string },
): Promise<Server> {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  await once(server.listen(where), 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
