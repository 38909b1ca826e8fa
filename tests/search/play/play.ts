import { computeSender } from '@mergexo/core/ledger';
import { REPO, SECRET } from '../world/constants.js';
import type { World } from '../world/world.js';
import type { Op, Schedule } from './op.js';
import { createPeople, type People } from './people.js';

/** Plays the operations of a schedule. */
export async function play(world: World, { ops }: Schedule): Promise<People> {
  const people = createPeople(world);
  for (const op of ops) {
    await world.timeline.runUntil(world.timeline.now() + op.after);
    await perform(world, people, op);
  }
  return people;
}

async function perform(world: World, people: People, op: Op): Promise<void> {
  const { network, agent, remote } = world;
  switch (op.kind) {
    case 'mood':
      agent.moods.push(...op.moods);
      return;
    case 'fault':
      return world.fault(op.fault);
    case 'slow':
      return network.slowDown(op.ms);
    case 'calm':
      return endTrouble(world);
    case 'arm':
      return world.arm(op.failpoint, op.ordinal);
    case 'doom':
      return network.doom(op.process, op.doors);
    case 'crash':
      return world.crash(op.process);
    case 'drain':
      return op.process === 'poller' ? world.crash('poller') : world.drain(op.process);
    case 'cut':
      return network.cut(op.link, op.ms);
    case 'push-trouble':
      return void remote.troubles.push(op.trouble);
    case 'flush':
      return world.flush();
    case 'lose-state':
      return world.loseState();
    case 'back-up':
      return world.backUp();
    case 'restore':
      return void world.restoreBackup();
    case 'fill-disk':
      return world.fillDisk(op.writes);
    case 'jump-clock':
      world.wall.offsetMs += op.ms;
      return;
    case 'operate':
      return operate(world, people, op);
    default:
      return people.act(op);
  }
}

type Operate = Extract<Op, { kind: 'operate' }>;

/** Sends an operator's request, as the command line does. */
function operate(world: World, people: People, { order, which, whole }: Operate): void {
  const rows = people.rows().filter(({ pull }) => (pull !== null) === (order === 'reset'));
  const number = rows[which % Math.max(1, rows.length)]?.number;
  if (number === undefined) return;
  const { name } = computeSender(SECRET, 'operator');
  const about = {
    requestId: `request-${world.timeline.steps()}`,
    by: name,
    reason: null,
    expiresAt: Date.now() + 30_000,
  };
  if (order === 'reset') {
    const pulls = whole ? null : [{ repo: REPO, prNumber: number }];
    world.operate({ kind: 'reset', ...about, pulls, repo: null, headSha: null });
  } else world.operate({ kind: 'steer', ...about, order, repo: REPO, number: whole ? null : number });
}

export function endTrouble(world: World): void {
  world.network.heal();
  world.disarm();
  world.remote.troubles.splice(0);
}
