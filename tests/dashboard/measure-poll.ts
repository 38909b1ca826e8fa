import type { PlanResult } from '@mergexo/core/turns';
import { createStage, DEBOUNCE_MS, NAME, type Stage } from '../stage/stage.js';
import { describeTimes } from './describe-times.js';
import { fillDatabase, REPOSITORIES, type Size } from './fill-database.js';

const PULLS = 5;
const ROUNDS = 60;
/** More than the time between two edits of a status comment. */
const GAP_MS = 31_000;
const fix: PlanResult = { kind: 'pull', title: 'Fix it', summary: 'Fixed.', design: null };

type Place = { stage: Stage; pulls: readonly number[] };

/**
 * Times whole poll cycles, with reactions and status comments, on an empty database and on a large one. The cycles
 * alternate, so that other programs slow both down. The times contain those of the local stand-in for GitHub, which gets
 * the same requests in both.
 */
export async function measurePoll(size: Size): Promise<string[]> {
  const places = [await createPlace(), await createPlace(size)] as const;
  try {
    const lines: string[] = [];
    for (const [name, prepare] of [
      ['nothing new', undefined],
      ['a new comment', addComment],
    ] as const) {
      const times: [number[], number[]] = [[], []];
      const before = places.map(countRequests);
      for (let round = -5; round < ROUNDS; round += 1)
        for (const index of [0, 1] as const) {
          await prepare?.(places[index], round);
          const ms = await timeCycle(places[index].stage);
          if (round >= 0) times[index].push(ms);
        }
      const [small, large] = times.map(describeTimes);
      if (small === undefined || large === undefined) throw new Error('no times');
      const requests = places.map((place, index) => countRequests(place) - (before[index] ?? 0));
      if (requests[0] !== requests[1]) throw new Error(`the cycles sent different requests: ${requests}`);
      const ratio = (large.median / small.median).toFixed(2);
      lines.push(
        `poll cycle, ${name}: ${large.text}; empty database ${small.text}; ratio of medians ${ratio}`,
      );
    }
    return lines;
  } finally {
    for (const { stage } of places) await stage.close();
  }
}

/** Opens some pull requests, and fills the database. */
async function createPlace(size?: Size): Promise<Place> {
  const stage = await createStage({ room: PULLS + 1 });
  for (let index = 0; index < PULLS; index += 1) {
    await stage.alice.openIssue(NAME, {
      title: `Broken ${index}`,
      body: 'It fails.',
      labels: ['agent:bugfix'],
    });
    await timeCycle(stage);
    await stage.work(fix);
    await stage.drain();
    await timeCycle(stage);
  }
  const pulls = stage.state
    .listRuns(stage.repo.id, ['awaiting_feedback'])
    .flatMap(({ prNumber }) => prNumber ?? []);
  if (pulls.length !== PULLS) throw new Error(`${pulls.length} pull requests are open instead of ${PULLS}`);
  if (size !== undefined) {
    const [owner = '', name = ''] = NAME.split('/');
    const polled = { id: stage.repo.id, owner, name };
    const others = REPOSITORIES.slice(1).map((other) => ({ ...other, id: other.id + 1_000_000 }));
    fillDatabase(stage.state, size, {
      now: stage.common().now(),
      repositories: [polled, ...others],
      endedRepo: polled.id,
    });
  }
  return { stage, pulls };
}

async function addComment({ stage, pulls }: Place, round: number): Promise<void> {
  const pull = pulls[Math.abs(round) % pulls.length] ?? 0;
  await stage.alice.comment(NAME, pull, `Does this handle case ${round}?`);
}

const countRequests = ({ stage }: Place): number =>
  stage.twin.history.list('request').filter(({ user }) => user === 'robot').length;

async function timeCycle(stage: Stage): Promise<number> {
  stage.advance(DEBOUNCE_MS + GAP_MS);
  const started = performance.now();
  await stage.poll();
  await stage.sign();
  return performance.now() - started;
}
