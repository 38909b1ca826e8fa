import { setTimeout as sleep } from 'node:timers/promises';
import { readSettings } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { redactStrings } from '@mergexo/core/text';
import { readSnapshot, type Snapshot, type StepFilter, type StoredStep } from '@mergexo/state';
import type { Context } from '../../context.js';
import { findSubject, type Subject } from './find-steps.js';
import { parseSince } from './parse-since.js';
import { createStepPrinter, placeStep } from './print-steps.js';

export type LogsOptions = { follow?: boolean; since?: string; repo?: string };

/** How often `--follow` looks for new steps. */
const PAUSE_MS = 500;
/** Number of earlier steps to show without --since. */
const SHOWN = 200;
const PAGE = 1_000;

/** Prints what agents did, and with --follow what they do, until the signal aborts. Only reads the database. */
export async function logs(
  context: Context,
  name: string | undefined,
  { follow = false, since, repo, stop }: LogsOptions & { stop: AbortSignal },
): Promise<void> {
  const { paths, redact } = readSettings(context);
  const read = <T>(work: (facts: Snapshot) => T): T => {
    const found = readSnapshot(paths.database, (facts) => ({ answer: work(facts) }));
    if (found !== undefined) return found.answer;
    throw new Failure(
      'not-found',
      `${paths.database} is missing. Agents' steps are in the database on the poller's host: run this command there, or run \`${MERGEXO_CLI} init\`.`,
    );
  };
  const print = createStepPrinter(context);
  const show = (facts: Snapshot, steps: readonly StoredStep[]): void =>
    print(
      redactStrings(
        steps.map((step) => placeStep(facts.state, step)),
        redact,
      ),
    );
  const from = since === undefined ? undefined : parseSince(since, Date.now());

  const { subject, ...first } = read((facts) => {
    const found = findSubject(facts, name, repo);
    return { subject: found, ...showFirst(facts, { filter: found.filter, from, show }) };
  });
  let { cursor } = first;
  if (!first.any) sayNothing(context, subject, follow);
  while (follow && !stop.aborted) {
    await sleep(PAUSE_MS, undefined, { signal: stop }).catch(() => {});
    cursor = read((facts) => showNew(facts, { filter: subject.filter, cursor, show })).cursor;
  }
}

/** `cursor`: the id after which the next steps begin. */
type Shown = { cursor: number; any: boolean };
type Show = (facts: Snapshot, steps: readonly StoredStep[]) => void;

/** Shows the earlier steps. Returns the id after which the new steps begin. */
function showFirst(
  facts: Snapshot,
  { filter, from, show }: { filter: StepFilter; from: number | undefined; show: Show },
): Shown {
  if (from !== undefined) return showNew(facts, { filter: { ...filter, since: from }, cursor: 0, show });
  const steps = facts.state.listLatestAgentSteps(filter, SHOWN);
  show(facts, steps);
  return { cursor: facts.state.readLastStepId(), any: steps.length > 0 };
}

/** Shows all steps after `cursor`. */
function showNew(
  facts: Snapshot,
  { filter, cursor, show }: { filter: StepFilter; cursor: number; show: Show },
): Shown {
  const { state } = facts;
  const newest = state.readLastStepId();
  let last = cursor;
  while (last < newest) {
    const steps = state.listAgentSteps({ ...filter, afterId: last }, PAGE);
    show(facts, steps);
    const end = steps.at(-1);
    if (end === undefined) break;
    last = end.id;
  }
  // Nothing between the last step and the newest one matches.
  return { cursor: newest, any: last > cursor };
}

function sayNothing(context: Context, { name }: Subject, follow: boolean): void {
  if (follow)
    process.stderr.write(`Waiting for an agent to report a step for ${name}. Press Ctrl-C to stop.\n`);
  else context.printLine({ ok: true, steps: 0 }, () => `No agent has reported a step for ${name}.`);
}
