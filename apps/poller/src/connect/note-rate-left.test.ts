import type { StoredRateLimit } from '@mergexo/state';
import { createRateNotes } from './note-rate-left.js';

function createScene() {
  const saved: StoredRateLimit[] = [];
  let clock = 1_000_000;
  const state = {
    saveRateLimit: (rate: StoredRateLimit) => {
      saved.push(rate);
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
  it('saves the latest limit with its login', () => {
    const { notes, saved } = createScene();
    notes.hear(limit(4_999));
    notes.hear(limit(4_998));
    notes.keep('robot');
    expect(saved).toEqual([{ login: 'robot', ...limit(4_998) }]);
  });

  it('saves nothing before the first response, then only changed limits, at most once every ten seconds', () => {
    const { notes, saved, advance } = createScene();
    notes.keep('robot');
    expect(saved).toHaveLength(0);
    notes.hear(limit(9));
    notes.keep('robot');
    notes.hear(limit(8));
    notes.keep('robot');
    expect(saved).toHaveLength(1);
    advance(10_000);
    notes.keep('robot');
    expect(saved).toHaveLength(2);
    advance(10_000);
    notes.keep('robot');
    expect(saved).toHaveLength(2);
  });
});
