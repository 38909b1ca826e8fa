import { createWalk, REPO } from '../fleet/walk.js';
import { type Plan, SETTINGS } from './plan.js';
import type { Round } from './round.js';
import { readRequests } from './sent-request.js';
import { type Watched, watchTurn } from './watch-turn.js';

export type OnceRounds = { cold: Round[]; warm: Round[]; replies: Round[] };

/** Measures `run --once` for a first issue without a clone or a database, a second issue, and a comment. */
export async function measureOnce({ latencyMs, rounds, note }: Plan): Promise<OnceRounds> {
  const measured: OnceRounds = { cold: [], warm: [], replies: [] };
  for (let round = 1; round <= rounds; round += 1) {
    note(`run --once, ${latencyMs} ms, round ${round} of ${rounds}`);
    const { cold, warm, reply } = await measureRound(latencyMs);
    measured.cold.push(cold);
    measured.warm.push(warm);
    measured.replies.push(reply);
  }
  return measured;
}

/** Uses a new installation, because only its first issue runs without a clone or a database. */
async function measureRound(latencyMs: number): Promise<{ cold: Round; warm: Round; reply: Round }> {
  const walk = await createWalk({ ...SETTINGS, latencyMs });
  const run = async (watched: Omit<Watched, 'begin'>): Promise<Round> => {
    const begin = Date.now();
    const { code, output } = await walk.runCli('run', '--once');
    const end = Date.now();
    if (code !== 0) throw new Error(`run --once exited with ${code}:\n${output.slice(-3_000)}`);
    const marks = await watchTurn(walk, { ...watched, begin });
    return { marks: { ...marks, end }, requests: readRequests(walk.twin, begin) };
  };
  try {
    const issue = await walk.openIssue('agent:small-job');
    const cold = await run({ issue, pr: undefined });
    const warm = await run({ issue: await walk.openIssue('agent:small-job'), pr: undefined });
    const pr = walk.runOf(issue)?.prNumber ?? 0;
    await walk.alice.comment(REPO, pr, 'Why?');
    return { cold, warm, reply: await run({ issue, pr }) };
  } finally {
    await walk.close();
  }
}
