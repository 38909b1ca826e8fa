import type { JournalEntry } from '@mergexo/core/journal';
import type { Op } from '../chaos/feedback-schedule.js';

type CommentEntry = Extract<JournalEntry, { kind: 'comment' }>;
type Post = { name: string; form: CommentEntry['form'] };

export type Posts = ReturnType<typeof createPosts>;

/** Keeps track of what people have posted, because an edit or a deletion names a post by its position. */
export function createPosts() {
  const present: Post[] = [];
  const people = new Map<string, string>();
  let isShared = false;

  /** Maps the first allowed person to `alice` and the others to `bob`. */
  const nameAuthor = ({ author, trust }: CommentEntry): string => {
    if (trust === 'bot') return 'ci[bot]';
    if (trust === 'not_allowed') return 'mallory';
    const known = people.get(author) ?? (isShared ? 'bob' : 'alice');
    isShared = true;
    people.set(author, known);
    return known;
  };
  const positionOf = (name: string): number => present.findIndex((post) => post.name === name);

  return {
    find: (name: string): Post | undefined => present.find((post) => post.name === name),

    write(entry: CommentEntry): Op {
      const { comment: name, form, reply_to: root, skip } = entry;
      const by = nameAuthor(entry);
      present.push({ name, form });
      const textKind = skip === 'command' || skip === 'obeyed' ? 'command' : 'plain';
      if (form === 'review_summary') return { kind: 'review', pull: 0, by, comments: 0, body: true };
      if (form === 'issue') return { kind: 'comment', pull: 0, by, textKind };
      const roots = present.filter((post) => post.form === 'review');
      const which = root === null ? -1 : roots.findIndex((post) => post.name === root);
      return which < 0
        ? { kind: 'line', pull: 0, by, textKind: 'plain' }
        : { kind: 'reply', pull: 0, which, by };
    },

    edit: ({ name }: Post): Op => ({ kind: 'edit', which: positionOf(name), same: false }),

    /** Reviews cannot be deleted, so a deletion counts only the other posts. */
    remove(name: string): Op | undefined {
      const removable = present.filter(({ form }) => form !== 'review_summary');
      const which = removable.findIndex((post) => post.name === name);
      if (which < 0) return undefined;
      present.splice(positionOf(name), 1);
      return { kind: 'delete', which };
    },
  };
}
