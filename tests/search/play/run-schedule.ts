import type { HistoryEntry } from '@mergexo/github-twin';
import { judge } from '../judges/judges.js';
import { readStory } from '../judges/story.js';
import { createWorld, type World } from '../world/world.js';
import type { Schedule } from './op.js';
import type { People } from './people.js';
import { play } from './play.js';
import { settle } from './settle.js';

export type Played = {
  people: People;
  /** What was still open when nothing was left to wait for. */
  open: string[];
  /** Pull requests that MergeXO reports as blocked in the end. */
  blocked: ReadonlySet<number>;
};
export type Outcome = {
  problems: string[];
  /** Number of events of the world. */
  steps: number;
  crashes: World['crashes'];
  /** How often code passed each failpoint, transition and reason. */
  reach: World['reach'];
  /** GitHub's history as text, if asked for. */
  history: string;
};

/** Plays one schedule in a world of its own and judges it. Every error is a problem. */
export async function runSchedule(
  schedule: Schedule,
  { validates = false, keepsHistory = false } = {},
): Promise<Outcome> {
  let world: World | undefined;
  try {
    world = await createWorld({ ...schedule, validates });
    const people = await play(world, schedule);
    const open = await settle(world, people);
    const played = { people, open, blocked: listBlocked(world) };
    const problems = judge({ world, played, story: readStory(world, people.posted) });
    countReasons(world);
    return report(world, problems, keepsHistory);
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return report(world, [`simulation: ${text}`], false);
  } finally {
    await world?.close();
  }
}

function report(world: World | undefined, problems: string[], keepsHistory: boolean): Outcome {
  // The ids of GitHub Apps are random, and nothing depends on them.
  const isApp = (entry: HistoryEntry): boolean => entry.kind === 'write' && entry.table === 'apps';
  const entries = keepsHistory ? (world?.twin.history.list() ?? []) : [];
  const history = JSON.stringify(entries.filter((entry) => !isApp(entry)));
  const { timeline, crashes = [], reach = new Map() } = world ?? {};
  return { problems, steps: timeline?.steps() ?? 0, crashes, reach, history };
}

function listBlocked(world: World): Set<number> {
  const state = world.state();
  const [repo] = state.listRepositories();
  const numbers = world.twin.world.store.issues.all().map(({ number }) => number);
  return new Set(
    repo ? numbers.filter((number) => state.readPull(repo.id, number)?.status === 'blocked') : [],
  );
}

/** Counts the recorded events of the timeline, such as transitions. */
function countReasons({ reach, state }: World): void {
  for (const { type } of state().listEventsAfter(0, 100_000)) {
    const name = `event ${type}`;
    reach.set(name, (reach.get(name) ?? 0) + 1);
  }
}
