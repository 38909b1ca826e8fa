import { OPERATOR } from '@mergexo/core/ledger';
import { IGNORE, REPO } from '../world/constants.js';
import type { World } from '../world/world.js';
import type { People } from './people.js';
import { endTrouble } from './play.js';

const ROUND_MS = 11_000;
/** A bound on everything that MergeXO waits for once all trouble has ended: windows, locks, retries and backoffs. */
const MAX_ROUNDS = 120;
const QUIET_ROUNDS = 3;
/**
 * Rounds without a change after which the world counts as settled although comments or runs still wait, for example
 * because of a block.
 */
const WAITING_ROUNDS = 14;
const LIVE = ['open', 'queued', 'running', 'frozen', 'speaking'] as const;

/**
 * Ends all faults, removes takeovers and pauses, lifts reported blocks, and waits until nothing changes anymore. If
 * that never happens, returns what is still open.
 */
export async function settle(world: World, people: People): Promise<string[]> {
  endTrouble(world);
  world.revive();
  world.agent.moods.splice(0);
  await world.timeline.runUntil(world.timeline.now() + 5_000);
  await handBack(world, people);
  let quiet = 0;
  let changes = -1;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    world.wake();
    await world.timeline.runUntil(world.timeline.now() + ROUND_MS);
    if (round === 3 || round === 25) await liftOrders(world, people);
    const { seq } = world.changes();
    quiet = listOpen(world).length === 0 && seq === changes ? quiet + 1 : 0;
    changes = seq;
    if (quiet >= (world.state().hasOpenWork() ? WAITING_ROUNDS : QUIET_ROUNDS)) return [];
  }
  return listOpen(world);
}

/** MergeXO may have read an order to pause only after everything was handed back. */
async function liftOrders(world: World, people: People): Promise<void> {
  await unblock(world, people);
  if (world.state().listPauses().length > 0) await handBack(world, people);
}

/** Removes all takeovers, and resumes everything that an operator paused. */
async function handBack(world: World, people: People): Promise<void> {
  const { twin } = world;
  const ignore = twin.world.store.labels.find(({ name }) => name === IGNORE)?.id ?? 0;
  for (const row of people.rows())
    if (row.labelIds.includes(ignore)) await twin.as('alice').unlabel(REPO, row.number, IGNORE);
  const about = { by: OPERATOR, reason: null, expiresAt: Date.now() + 60_000, kind: 'steer' as const };
  const numbers = [null, ...people.rows().flatMap(({ pull, number }) => (pull === null ? [number] : []))];
  for (const [index, number] of numbers.entries())
    world.operate({
      ...about,
      order: 'resume',
      requestId: `settle-${world.timeline.steps()}-${index}`,
      repo: REPO,
      number,
    });
}

/** Reads the reported blocks from the database, because a person would read them on GitHub. */
async function unblock(world: World, people: People): Promise<void> {
  const state = world.state();
  for (const row of people.rows()) {
    if (row.pull === null || row.state === 'closed') continue;
    const [repo] = state.listRepositories();
    if (repo === undefined || state.readPull(repo.id, row.number)?.status !== 'blocked') continue;
    await people.order(row.number, `unblock head_sha=${row.pull.headSha}`);
  }
}

function listOpen(world: World): string[] {
  const state = world.state();
  const turns = LIVE.flatMap((name) => state.listTurnsInState(name));
  return [
    ...turns.map(({ kind, state: name, reason, prNumber, issueNumber }) => {
      const where = prNumber ?? issueNumber;
      return `${kind} on #${where} is ${name}${reason === null ? '' : ` (${reason})`}`;
    }),
    ...state.listUnsettledActions().map(({ kind, state: name }) => `a ${kind} is ${name}`),
  ];
}
