import { createNudges, type Nudges } from './nudges.js';

describe('nudges', () => {
  let now: number;
  let nudges: Nudges;
  beforeEach(() => {
    now = 1_000;
    nudges = createNudges(() => now);
  });
  const poll = (foundNews: boolean): number[] => {
    const taken = [...nudges.take()];
    for (const id of taken) nudges.settle(id, foundNews);
    return taken;
  };

  it('polls the repository of a delivery at once, and no other', () => {
    expect(nudges.dueInMs()).toBe(Number.POSITIVE_INFINITY);
    nudges.note(7);
    expect(nudges.dueInMs()).toBe(0);
    expect(poll(true)).toEqual([7]);
    expect(poll(true)).toEqual([]);
    expect(nudges.dueInMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it('polls at most once a second, however many deliveries arrive', () => {
    let polls = 0;
    for (let i = 0; i < 10_000; i += 1) {
      nudges.note(7);
      now += 1;
      polls += poll(true).length;
    }
    expect(polls).toBe(10);
  });

  it('polls again after 1, 3 and 10 seconds while the poll finds nothing, and then stops', () => {
    nudges.note(7);
    const times: number[] = [];
    for (const start = now; now < start + 60_000; now += 100)
      if (poll(false).length > 0) times.push(now - start);
    expect(times).toEqual([0, 1_000, 4_000, 14_000]);
  });

  it('stops repeating as soon as a poll finds something', () => {
    nudges.note(7);
    poll(false);
    now += 1_000;
    expect(poll(true)).toEqual([7]);
    expect(nudges.dueInMs()).toBe(Number.POSITIVE_INFINITY);
  });

  it('polls again for a delivery that arrived during a poll', () => {
    nudges.note(7);
    const [taken = 0] = nudges.take();
    nudges.note(7);
    nudges.settle(taken, true);
    expect(nudges.dueInMs()).toBe(1_000);
    now += 1_000;
    expect(poll(true)).toEqual([7]);
  });

  it('begins the repeats anew with each delivery', () => {
    nudges.note(7);
    poll(false);
    now += 1_000;
    poll(false);
    now += 1_000;
    nudges.note(7);
    expect(poll(false)).toEqual([7]);
    expect(nudges.dueInMs()).toBe(1_000);
  });

  it('keeps repositories apart', () => {
    nudges.note(7);
    poll(false);
    nudges.note(8);
    expect(poll(true)).toEqual([8]);
    now += 1_000;
    expect(poll(true)).toEqual([7]);
  });
});
