import { REACTIONS, type Reactable, type Reaction } from '../store/rows.js';
import type { RepoView } from '../world/world.js';
import { viewFields, viewUserOf } from './user.js';

export function viewReaction(context: RepoView, reaction: Reaction) {
  return {
    ...viewFields('REA', reaction, ['content', 'createdAt']),
    user: viewUserOf(context, reaction.userId),
  };
}

/** Creates a predicate that is true for the reactions to an issue or a comment. */
export const reactsTo =
  ({ subject, subjectId }: Reactable) =>
  (row: Reactable): boolean =>
    row.subject === subject && row.subjectId === subjectId;

/** Renders the counts that are part of every issue and comment. */
export function viewRollup({ world }: RepoView, url: string, about: Reactable) {
  const given = world.store.reactions.filter(reactsTo(about)).map(({ content }) => content);
  const counts = REACTIONS.map((content) => [content, given.filter((one) => one === content).length]);
  return { url: `${url}/reactions`, total_count: given.length, ...Object.fromEntries(counts) };
}
