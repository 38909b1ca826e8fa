import fc from 'fast-check';
import { decideCommentReaction, decideIssueReaction } from './decide-reaction.js';
import {
  decideReactionStep,
  NO_REACTION,
  noteAdded,
  noteRemoved,
  noteRemoving,
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

/** Carries out one step. If the response is lost, the record keeps only what was saved before the request. */
function take(
  server: Server,
  record: ReactionRecord,
  { wanted, isLost }: { wanted: Reaction | null; isLost: boolean },
): ReactionRecord {
  const step = decideReactionStep(record, wanted);
  if (step.kind === 'none') return record;
  if (step.kind === 'remove') {
    const removing = noteRemoving(record, step.id);
    remove(server, step.id);
    return isLost ? removing : noteRemoved(removing);
  }
  const isRetry = record.sending === step.content;
  const added = add(server, step.content);
  return isLost
    ? { ...record, sending: step.content }
    : noteAdded(record, step.content, { ...added, isRetry });
}

function settle(server: Server, first: ReactionRecord, wanted: Reaction | null): ReactionRecord {
  let record = first;
  for (let i = 0; i < 10; i += 1) record = take(server, record, { wanted, isLost: false });
  return record;
}

describe('the steps between two reactions', () => {
  const content = fc.constantFrom(...REACTIONS);
  const wanted = fc.option(content, { nil: null });
  const step = fc.record({ wanted, isLost: fc.boolean() });

  it('end with the wanted reaction and at most 👀, even if responses are lost or the wanted reaction changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), wanted, (steps, last) => {
        const server: Server = { ids: new Map(), next: 0 };
        const record = steps.reduce((known, one) => take(server, known, one), NO_REACTION);
        settle(server, record, last);
        const shown = [...server.ids.keys()];
        expect(shown.filter((one) => one !== 'eyes')).toEqual(last === null || last === 'eyes' ? [] : [last]);
        if (last === 'eyes') expect(shown).toEqual(['eyes']);
        if (steps.every((one) => one.wanted === null || one.wanted === 'eyes') && last === null)
          expect(shown).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('never remove a reaction that a person added with the same login', () => {
    fc.assert(
      fc.property(content, fc.array(wanted, { minLength: 1, maxLength: 6 }), (own, changes) => {
        const server: Server = { ids: new Map([[own, 1_000]]), next: 0 };
        // MergeXO can tell whose reaction it is only if no response is lost.
        changes.reduce((known, one) => settle(server, known, one), NO_REACTION);
        expect(server.ids.get(own)).toBe(1_000);
      }),
    );
  });

  it.each(['rocket', 'confused'] as const)('from 👀 to %s are one request, because 👀 stays', (content) => {
    const shown: ReactionRecord = { ...NO_REACTION, shown: 'eyes', shownId: 7 };
    expect(decideReactionStep(shown, content)).toEqual({ kind: 'add', content });
    const added = noteAdded(shown, content, { id: 8, isNew: true, isRetry: false });
    expect(decideReactionStep(added, content)).toEqual({ kind: 'none' });
  });

  it('add the new reaction before they remove the old one', () => {
    const shown: ReactionRecord = { ...NO_REACTION, shown: 'confused', shownId: 7 };
    expect(decideReactionStep(shown, 'rocket')).toEqual({ kind: 'add', content: 'rocket' });
    const added = noteAdded(shown, 'rocket', { id: 8, isNew: true, isRetry: false });
    expect(decideReactionStep(added, 'rocket')).toEqual({ kind: 'remove', id: 7 });
    expect(decideReactionStep(noteRemoved(added), 'rocket')).toEqual({ kind: 'none' });
  });
});
