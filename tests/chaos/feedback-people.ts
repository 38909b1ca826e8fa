import { z } from 'zod';
import { type FeedbackWorld, IGNORE, REPO, type TrackedPull } from './feedback-world.js';

export type TextKind =
  | 'plain'
  | 'quote'
  | 'copied-marker'
  | 'forged-marker'
  | 'repost'
  | 'command'
  | 'command-and-feedback'
  | 'unblock';

type Kind = 'issue' | 'review' | 'review_summary';

/** A comment or review that a person posted. */
export type Posted = { kind: Kind; id: number; pull: TrackedPull; by: string; textKind: TextKind };

const FORGED = `<!-- mergexo-meta:v1 kind=x target=y index=0 digest=${'0'.repeat(32)} -->\n<!-- mergexo-action:${'a'.repeat(64)} -->`;
const STORM = 101;
const Rows = z.array(z.object({ id: z.number() }));

export type People = ReturnType<typeof createPeople>;

/** Simulates allowed and other users on the pull requests. All their texts are unique, except for reposts. */
export function createPeople(world: FeedbackWorld) {
  const { twin } = world;
  const posted: Posted[] = [];
  const deleted = new Set<Posted>();
  const ended = new Map<number, 'close' | 'merge'>();
  const takenOver = new Set<number>();
  let texts = 0;

  const newText = (): string => {
    texts += 1;
    return `Remark number ${texts}.`;
  };
  const record = (entry: Omit<Posted, 'textKind'>, textKind: TextKind = 'plain'): void =>
    void posted.push({ ...entry, textKind });
  const select = (which: number, from: readonly Posted[]): Posted | undefined =>
    from[which % Math.max(1, from.length)];
  const present = (): Posted[] => posted.filter((entry) => !deleted.has(entry));
  /** Lists MergeXO's comments on the pull requests. */
  const listOwnComments = () => {
    const theirs = new Set(posted.filter(({ kind }) => kind === 'issue').map(({ id }) => id));
    const numbers = new Set(world.pulls.map(({ prNumber }) => prNumber));
    const ourId = twin.userId(world.poster);
    return twin.world.store.comments.filter(
      ({ id, number, userId }) => userId === ourId && numbers.has(number) && !theirs.has(id),
    );
  };

  const compose = (textKind: TextKind, pull: TrackedPull): string => {
    const ownBody = listOwnComments().find(({ number }) => number === pull.prNumber)?.body;
    const text = newText();
    switch (textKind) {
      case 'quote':
        return ownBody === undefined ? text : `> ${ownBody.replaceAll('\n', '\n> ')}\n\n${text}`;
      case 'copied-marker':
        return ownBody === undefined ? text : `${text}\n\n${ownBody.slice(ownBody.indexOf('<!--'))}`;
      case 'forged-marker':
        return `${text}\n\n${FORGED}`;
      case 'repost':
        return ownBody ?? text;
      case 'command':
        return '/mergexo status';
      case 'command-and-feedback':
        return `/mergexo status\n\n${text}`;
      default:
        return text;
    }
  };

  const comment = async (pull: TrackedPull, by: string, textKind: TextKind): Promise<void> => {
    const id = await twin.as(by).comment(REPO, pull.prNumber, compose(textKind, pull));
    record({ kind: 'issue', id, pull, by }, textKind);
  };

  /** Returns false if the pull request conflicts with an earlier merge. */
  const merge = async (prNumber: number): Promise<boolean> => {
    try {
      await twin.as('alice').merge(REPO, prNumber);
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.includes('not mergeable')) return false;
      throw error;
    }
  };

  return {
    posted,
    ended,
    comment,
    async line(pull: TrackedPull, by: string, textKind: TextKind): Promise<void> {
      const place = { path: 'fix.txt', line: 1 + (texts % 4) };
      const body = compose(textKind === 'command' ? 'plain' : textKind, pull);
      const id = await twin.as(by).reviewComment(REPO, pull.prNumber, { ...place, body });
      record({ kind: 'review', id, pull, by }, textKind === 'command' ? 'plain' : textKind);
    },
    async reply(pull: TrackedPull, which: number, by: string): Promise<void> {
      const rows = twin.world.store.reviewComments.filter(
        ({ number, inReplyToId, deleted }) => number === pull.prNumber && inReplyToId === null && !deleted,
      );
      const root = rows[which % Math.max(1, rows.length)];
      if (root === undefined) return;
      const id = await twin.as(by).reply(REPO, root.id, newText());
      record({ kind: 'review', id, pull, by });
    },
    async review(
      pull: TrackedPull,
      by: string,
      { comments, body }: { comments: number; body: boolean },
    ): Promise<void> {
      const lines = Array.from({ length: comments }, (_, i) => ({
        path: 'fix.txt',
        line: i + 1,
        body: newText(),
      }));
      const text = body || comments === 0 ? newText() : '';
      const id = await twin.as(by).submitReview(REPO, pull.prNumber, { body: text, comments: lines });
      record({ kind: 'review_summary', id, pull, by });
      const path = `/repos/${REPO}/pulls/${pull.prNumber}/reviews/${id}/comments`;
      for (const row of Rows.parse(await twin.as(by).request('GET', path)))
        record({ kind: 'review', id: row.id, pull, by });
    },
    async edit(which: number, same: boolean): Promise<void> {
      const entry = select(which, present());
      // Commands and reposts are not edited: a command counts only once, and an edited repost is no longer a repost.
      if (entry === undefined || ['command', 'unblock', 'repost'].includes(entry.textKind)) return;
      const { kind, id, pull, by } = entry;
      const person = twin.as(by);
      const { store } = twin.world;
      const old = { issue: store.comments, review: store.reviewComments, review_summary: store.reviews }[
        kind
      ].get(id);
      if (old === undefined || old.body === '') return;
      const body = same ? old.body : newText();
      if (kind === 'issue') await person.editComment(REPO, id, body);
      else if (kind === 'review') await person.editReviewComment(REPO, id, body);
      else await person.request('PUT', `/repos/${REPO}/pulls/${pull.prNumber}/reviews/${id}`, { body });
    },
    async remove(which: number): Promise<void> {
      const entry = select(
        which,
        present().filter(({ kind }) => kind !== 'review_summary'),
      );
      if (entry === undefined) return;
      deleted.add(entry);
      if (entry.kind === 'issue') await twin.as(entry.by).deleteComment(REPO, entry.id);
      else await twin.as(entry.by).deleteReviewComment(REPO, entry.id);
    },
    /**
     * Edits or deletes one of MergeXO's comments. Under a shared login it does nothing, because the author of
     * the remaining text would be unknown.
     */
    async touchOwnComment(which: number, how: 'edit' | 'delete'): Promise<void> {
      const ownComments = listOwnComments();
      const row = ownComments[which % Math.max(1, ownComments.length)];
      if (row === undefined || world.poster === 'alice') return;
      if (how === 'delete') await twin.as('alice').deleteComment(REPO, row.id);
      else await twin.as('alice').editComment(REPO, row.id, `Changed. ${row.body}`);
    },
    /** Posts a trusted comment, then more than a page of comments by a user who is not allowed. */
    async storm(pull: TrackedPull): Promise<void> {
      await comment(pull, 'alice', 'plain');
      for (let i = 0; i < STORM; i += 1) await comment(pull, 'mallory', 'plain');
    },
    async push({ branch }: TrackedPull, force: boolean): Promise<void> {
      const files = { [`human-${texts}.txt`]: newText() };
      if (!force) return void (await twin.as('alice').pushFiles(REPO, branch, files));
      // Every line gets a new text, so that all lines are in the diff and people can comment on them.
      const text = newText();
      const kept = {
        'fix.txt': ['one', 'two', 'three', 'four'].map((word) => `${word}: ${text}\n`).join(''),
      };
      await twin.as('alice').forcePush(REPO, branch, { ...files, ...kept });
    },
    async end({ prNumber }: TrackedPull, how: 'close' | 'merge'): Promise<void> {
      if (how === 'close') await twin.as('alice').close(REPO, prNumber);
      else if (!(await merge(prNumber))) return;
      ended.set(prNumber, how);
    },
    async reopen({ prNumber }: TrackedPull): Promise<void> {
      if (ended.get(prNumber) !== 'close') return;
      ended.delete(prNumber);
      await twin.as('alice').reopen(REPO, prNumber);
    },
    /** Adds the ignore label, or removes it if it is present. */
    async takeOver({ prNumber }: TrackedPull): Promise<void> {
      if (takenOver.delete(prNumber)) return void (await twin.as('alice').unlabel(REPO, prNumber, IGNORE));
      takenOver.add(prNumber);
      await twin.as('alice').label(REPO, prNumber, IGNORE);
    },
    async handBack(): Promise<void> {
      for (const number of takenOver) await twin.as('alice').unlabel(REPO, number, IGNORE);
      takenOver.clear();
    },
    /** True if MergeXO reported a block, or refused to lift it, and nobody has tried to lift it since. */
    hasOpenNotice({ prNumber }: TrackedPull): boolean {
      const lifted = present().filter(
        ({ textKind, pull }) => textKind === 'unblock' && pull.prNumber === prNumber,
      );
      const last = Math.max(0, ...lifted.map(({ id }) => id));
      // Deleted notices count too, because people read them before they were deleted.
      return twin.history
        .list('write')
        .some(
          ({ table, id, row }) =>
            table === 'comments' &&
            row['number'] === prNumber &&
            id > last &&
            / kind=block_notice |^Nothing was changed\./.test(String(row['body'])),
        );
    },
    /** Lifts every block of a pull request, as an operator would. */
    async unblock(pull: TrackedPull): Promise<void> {
      const row = twin.world.store.issues.find(({ number }) => number === pull.prNumber);
      const id = await twin
        .as('alice')
        .comment(REPO, pull.prNumber, `/mergexo unblock head_sha=${row?.pull?.headSha ?? ''}`);
      record({ kind: 'issue', id, pull, by: 'alice' }, 'unblock');
    },
  };
}
