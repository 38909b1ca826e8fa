import { RATE_LEFT_FEED, RateLeft } from '@mergexo/core';
import { createRateNotes } from './note-rate-left.js';

function createScene() {
  const saved: [number, string, unknown][] = [];
  let clock = 1_000_000;
  const state = {
    saveCursor: (repoId: number, feed: string, { cursor }: { cursor: string | null }) => {
      saved.push([repoId, feed, RateLeft.parse(JSON.parse(cursor ?? ''))]);
    },
  };
  return {
    saved,
    notes: createRateNotes({ state, now: () => clock }),
    advance: (ms: number) => {
      clock += ms;
    },
  };
}

const limit = (left: number) => ({ limit: 5_000, left, resetsAt: 2_000_000 });

describe('createRateNotes', () => {
  it('keeps the last word, under the login that it is about', () => {
    const { notes, saved } = createScene();
    notes.hear(limit(4_999));
    notes.hear(limit(4_998));
    notes.keep(7, 'robot');
    expect(saved).toEqual([[7, RATE_LEFT_FEED, { login: 'robot', ...limit(4_998) }]]);
  });

  it('writes nothing before GitHub said something, nothing twice, and not in every cycle', () => {
    const { notes, saved, advance } = createScene();
    notes.keep(7, 'robot');
    expect(saved).toHaveLength(0);
    notes.hear(limit(9));
    notes.keep(7, 'robot');
    notes.hear(limit(8));
    notes.keep(7, 'robot');
    expect(saved).toHaveLength(1);
    advance(10_000);
    notes.keep(7, 'robot');
    expect(saved).toHaveLength(2);
    advance(10_000);
    notes.keep(7, 'robot');
    expect(saved).toHaveLength(2);
  });
});
