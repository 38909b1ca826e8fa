import fc from 'fast-check';
import { decideCommentReaction, decideIssueReaction } from './decide-reaction.js';
import {
  decideReactionStep,
  NO_REACTION,
  noteAdded,
  noteRemoved,
  REACTIONS,
  type Reaction,
  type ReactionRecord,
} from './reaction.js';

describe('the wanted reaction to an issue', () => {
  it.each([
    ['ready', false, 'eyes'],
    ['running', false, 'eyes'],
    ['blocked', false, 'confused'],
    ['blocked', true, 'confused'],
    ['awaiting_issue_followup', false, 'confused'],
    ['awaiting_feedback', true, 'rocket'],
    ['merged', true, 'rocket'],
    ['closed', true, 'rocket'],
    ['closed', false, null],
    ['failed', false, null],
  ] as const)('of a %s run (pull request: %s) is %s', (status, hasPull, wanted) => {
    expect(decideIssueReaction({ status, hasPull, isTakenOver: false })).toBe(wanted);
    expect(decideIssueReaction({ status, hasPull, isTakenOver: true })).toBe('keep');
  });
});

describe('the wanted reaction to a comment', () => {
  const pending = {
    isSkipped: false,
    isProcessed: false,
    isAnswered: false,
    isRedirected: false,
    isBlocked: false,
    isTakenOver: false,
  };
  it.each([
    ['pending', {}, 'eyes'],
    ['pending on blocked work', { isBlocked: true }, 'confused'],
    ['pending during a takeover', { isTakenOver: true }, 'keep'],
    ['redirected later', { isRedirected: true }, null],
    ['answered by a turn', { isProcessed: true, isAnswered: true, isBlocked: true }, 'rocket'],
    ['answered by a redirect', { isProcessed: true }, null],
    ['skipped', { isSkipped: true, isProcessed: true, isAnswered: true }, null],
  ])('that is %s', (_what, facts, wanted) => {
    expect(decideCommentReaction({ ...pending, ...facts })).toBe(wanted);
  });
});

/** GitHub's side: the reactions that exist, and those of the person who shares the login. */
type Server = { ids: Map<Reaction, number>; next: number };

function add(server: Server, content: Reaction): { id: number; isNew: boolean } {
  const known = server.ids.get(content);
  if (known !== undefined) return { id: known, isNew: false };
  server.next += 1;
  server.ids.set(content, server.next);
  return { id: server.next, isNew: true };
}

function remove(server: Server, id: number): void {
  for (const [content, known] of server.ids) if (known === id) server.ids.delete(content);
}

/** Carries out steps until none is left. A crash loses everything after the request. */
function settle(
  server: Server,
  first: ReactionRecord,
  { wanted, crashes }: { wanted: Reaction | null; crashes: boolean[] },
) {
  let record = first;
  const plan = [...crashes];
  for (let i = 0; i < 20; i += 1) {
    const step = decideReactionStep(record, wanted);
    if (step.kind === 'none') break;
    const isLost = plan.shift() ?? false;
    if (step.kind === 'remove') {
      remove(server, step.id);
      if (!isLost) record = noteRemoved(record, step.id);
      continue;
    }
    const isRetry = record.sending === step.content;
    const added = add(server, step.content);
    record = isLost
      ? { ...record, sending: step.content }
      : noteAdded(record, step.content, { ...added, isRetry });
  }
  return record;
}

describe('the steps between two reactions', () => {
  const content = fc.constantFrom(...REACTIONS);
  const change = fc.record({
    wanted: fc.option(content, { nil: null }),
    crashes: fc.array(fc.boolean(), { maxLength: 3 }),
  });

  it('end with exactly the wanted reaction, whatever is lost on the way', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
        const server: Server = { ids: new Map(), next: 0 };
        let record = NO_REACTION;
        for (const one of changes) {
          record = settle(server, record, one);
          expect([...server.ids.keys()]).toEqual(one.wanted === null ? [] : [one.wanted]);
        }
      }),
    );
  });

  it('never remove a reaction that a person added with the same login', () => {
    fc.assert(
      fc.property(content, fc.array(change, { minLength: 1, maxLength: 6 }), (own, changes) => {
        const server: Server = { ids: new Map([[own, 1_000]]), next: 0 };
        let record = NO_REACTION;
        // Without a crash, MergeXO can tell whose reaction it is.
        for (const { wanted } of changes) record = settle(server, record, { wanted, crashes: [] });
        expect(server.ids.get(own)).toBe(1_000);
      }),
    );
  });

  it('add the new reaction before they remove the old one', () => {
    const shown: ReactionRecord = { ...NO_REACTION, shown: 'eyes', shownId: 7 };
    expect(decideReactionStep(shown, 'rocket')).toEqual({ kind: 'add', content: 'rocket' });
    const added = noteAdded(shown, 'rocket', { id: 8, isNew: true, isRetry: false });
    expect(decideReactionStep(added, 'rocket')).toEqual({ kind: 'remove', id: 7 });
    expect(decideReactionStep(noteRemoved(added, 7), 'rocket')).toEqual({ kind: 'none' });
  });
});
