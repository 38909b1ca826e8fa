import { Failure, type Log } from '@mergexo/core/basics';
import type { Redact } from '@mergexo/core/text';
import type { Snapshot } from '@mergexo/state';
import type { Response } from 'express';
import { render } from '../html.js';
import type { Links } from '../pages/links.js';
import { readTurnDetails } from './read-turn.js';
import { renderFacts, renderStep } from './turn-page.js';

/** Delay between polls for new steps, shared by all streams. */
const PAUSE_MS = 400;
const PING_MS = 15_000;
/** Maximum number of steps per stream and poll. */
const PAGE = 200;
const MAX_STREAMS = 50;
/** How long a stream stays open after the end of its turn, because the last steps may arrive late. */
const LINGER_MS = 10_000;

type Stream = { turnKey: string; cursor: number; facts: string; wroteAt: number; response: Response };

export type StepFeed = {
  /**
   * Streams the steps after `cursor` until the client disconnects or the turn ends. Returns false if too many streams
   * are open.
   */
  open(about: { turnKey: string; cursor: number; response: Response }): boolean;
};

type FeedTools = {
  readState: <T>(work: (facts: Snapshot) => T) => T | undefined;
  links: Links;
  redact: Redact;
  now: () => number;
  log: Log;
};

/** Reads the database once per poll, however many pages are open. */
export function createStepFeed(tools: FeedTools): StepFeed {
  const streams = new Set<Stream>();
  let timer: NodeJS.Timeout | undefined;
  const poll = (): void => {
    try {
      tools.readState((facts) => {
        for (const stream of streams) advance(tools, facts, stream);
      });
    } catch (error) {
      // The next poll retries, for example after the database was replaced.
      const write = error instanceof Failure ? tools.log.debug : tools.log.error;
      write.call(tools.log, { err: error }, 'could not read new agent steps');
    }
  };
  return {
    open({ turnKey, cursor, response }) {
      if (streams.size >= MAX_STREAMS) return false;
      const stream = { turnKey, cursor, facts: '', wroteAt: tools.now(), response };
      streams.add(stream);
      response.once('close', () => {
        streams.delete(stream);
        if (streams.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
      timer ??= setInterval(poll, PAUSE_MS);
      return true;
    },
  };
}

function advance({ links, redact, now }: FeedTools, facts: Snapshot, stream: Stream): void {
  const { response, turnKey } = stream;
  // A slow client gets new steps after it has read the earlier ones.
  if (response.writableNeedDrain || response.writableEnded) return;
  const write = (text: string): void => {
    response.write(text);
    stream.wroteAt = now();
  };
  const send = (event: string, data: string, id?: number): void =>
    write(
      `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(redact(data))}\n\n`,
    );
  const { state } = facts;
  const newest = state.readLastStepId();
  const steps = newest > stream.cursor ? state.listAgentSteps({ turnKey, afterId: stream.cursor }, PAGE) : [];
  for (const step of steps) send('step', render(renderStep(step)), step.id);
  const isComplete = steps.length < PAGE;
  stream.cursor = isComplete ? newest : (steps.at(-1)?.id ?? newest);
  const turn = readTurnDetails(facts, turnKey);
  const text = turn === undefined ? '' : render(renderFacts(turn, links));
  if (text !== stream.facts) send('facts', text);
  stream.facts = text;
  const endedAt = turn === undefined ? 0 : turn.endedAt;
  if (endedAt !== null && isComplete && now() - endedAt > LINGER_MS) {
    send('end', '');
    response.end();
  } else if (now() - stream.wroteAt > PING_MS) write(': ping\n\n');
}
