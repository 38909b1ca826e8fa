import type { Twin } from '@mergexo/github-twin';
import { IGNORE, LABELS, POSTER, REPO } from '../world/constants.js';
import type { World } from '../world/world.js';
import type { Action, Human, Text } from './op.js';

export type PostKind = 'issue' | 'review' | 'review_summary';
/** A text that a person posted. `kind` names the list on GitHub that contains it. */
export type Posted = {
  kind: PostKind;
  id: number;
  by: Human;
  number: number;
  text: Text | 'command' | 'review';
};

export type People = ReturnType<typeof createPeople>;
type Row = ReturnType<Twin['world']['store']['issues']['all']>[number];

/** Everybody outside MergeXO. An action on something that does not exist, or that GitHub refuses, does nothing. */
export function createPeople(world: World) {
  const { twin } = world;
  const posted: Posted[] = [];
  let texts = 0;

  const rows = (): Row[] => twin.world.store.issues.all().filter(({ deleted }) => !deleted);
  const pick = <T>(list: readonly T[], index: number): T | undefined =>
    list[index % Math.max(1, list.length)];
  const issue = (index: number): Row | undefined =>
    pick(
      rows().filter(({ pull }) => pull === null),
      index,
    );
  const pulls = (state: 'open' | 'closed' | 'any') =>
    rows().filter((row) => row.pull !== null && (state === 'any' || row.state === state));
  const place = ({ on, which }: { on: 'issue' | 'pull'; which: number }): Row | undefined =>
    on === 'issue' ? issue(which) : pick(pulls('any'), which);
  const write = (text: Text): string => {
    texts += 1;
    const words = `Remark number ${texts}`;
    if (text === 'quote') return `> Remark number ${Math.max(1, texts - 1)}\n\n${words}`;
    if (text === 'long') return `${words}. ${'Very long. '.repeat(400)}`;
    if (text === 'empty-command') return `/mergexo`;
    if (text === 'copied-marker') return `${words}\n${findMarker(twin)}`;
    return words;
  };
  const note = async (entry: Omit<Posted, 'id'>, id: Promise<number>): Promise<void> => {
    posted.push({ ...entry, id: await id });
  };
  const comment = (number: number, by: Human, text: Text): Promise<void> =>
    note({ kind: 'issue', by, number, text }, twin.as(by).comment(REPO, number, write(text)));
  const findFile = (row: Row): string | undefined => {
    const { headSha, baseSha } = row.pull ?? {};
    if (headSha === undefined || baseSha === undefined) return undefined;
    return [...(world.remote.listFiles(headSha) ?? [])].find(
      (path) => path.startsWith('src/') && world.remote.readFile(baseSha, path) === undefined,
    );
  };

  const act = async (action: Action): Promise<unknown> => {
    switch (action.kind) {
      case 'open-issue': {
        texts += 1;
        const labels = action.flow === null ? [] : [LABELS[action.flow]];
        const words = { title: `Problem ${texts}`, body: `Remark number ${texts}` };
        // Only people with write access can add labels, so a stranger's issue gets none.
        const mayLabel = action.by !== 'mallory';
        return twin.as(action.by).openIssue(REPO, { ...words, labels: mayLabel ? labels : [] });
      }
      case 'label': {
        const row = issue(action.which);
        return row && twin.as(action.by).label(REPO, row.number, LABELS[action.flow]);
      }
      case 'comment-issue':
      case 'comment-pull': {
        const row = action.kind === 'comment-issue' ? issue(action.which) : pick(pulls('any'), action.which);
        return row && comment(row.number, action.by, action.text);
      }
      case 'comment-line': {
        const row = pick(pulls('open'), action.which);
        const path = row && findFile(row);
        if (row === undefined || path === undefined) return undefined;
        const id = twin
          .as(action.by)
          .reviewComment(REPO, row.number, { path, line: 1, body: write(action.text) });
        return note({ kind: 'review', by: action.by, number: row.number, text: action.text }, id);
      }
      case 'reply-line': {
        const root = pick(
          twin.world.store.reviewComments.all().filter(({ inReplyToId }) => inReplyToId == null),
          action.which,
        );
        if (root === undefined) return undefined;
        const entry = { kind: 'review' as const, by: action.by, number: root.number, text: 'plain' as const };
        return note(entry, twin.as(action.by).reply(REPO, root.id, write('plain')));
      }
      case 'review': {
        const row = pick(pulls('open'), action.which);
        const path = row && findFile(row);
        if (row === undefined) return undefined;
        const lines = path === undefined ? 0 : action.lines;
        const comments = Array.from({ length: lines }, () => ({
          path: path ?? '',
          line: 1,
          body: write('plain'),
        }));
        const body = action.verdict === 'APPROVE' && lines === 0 ? '' : write('plain');
        const id = await twin
          .as(action.by)
          .submitReview(REPO, row.number, { event: action.verdict, body, comments });
        const entry = { by: action.by, number: row.number };
        if (body !== '') posted.push({ ...entry, kind: 'review_summary', id, text: 'review' });
        for (const line of twin.world.store.reviewComments.filter(({ reviewId }) => reviewId === id))
          posted.push({ ...entry, kind: 'review', id: line.id, text: 'plain' });
        return undefined;
      }
      case 'edit':
      case 'delete':
        return change(action);
      case 'spoil-own': {
        const ours = twin.world.store.comments.filter(({ userId }) => userId === twin.userId(POSTER));
        const row = pick(ours, action.which);
        if (row === undefined) return undefined;
        return action.how === 'edit'
          ? twin.as('alice').editComment(REPO, row.id, `${row.body}\nEdited.`)
          : twin.as('alice').deleteComment(REPO, row.id);
      }
      case 'command': {
        const row = place(action);
        if (row === undefined) return undefined;
        const head = action.order === 'unblock' && row.pull !== null ? ` head_sha=${row.pull.headSha}` : '';
        const body = `/mergexo ${action.order}${world.variant.review ? '' : head}`;
        return note(
          { kind: 'issue', by: action.by, number: row.number, text: 'command' },
          twin.as(action.by).comment(REPO, row.number, body),
        );
      }
      case 'push':
      case 'rewrite': {
        const row = pick(pulls('open'), action.which);
        if (row?.pull == null) return undefined;
        texts += 1;
        const files = { [`src/by-hand-${texts}.txt`]: 'one\ntwo\n' };
        const person = twin.as('alice');
        return action.kind === 'push'
          ? person.pushFiles(REPO, row.pull.headRef, files)
          : person.forcePush(REPO, row.pull.headRef, files);
      }
      case 'merge': {
        const row = pick(pulls('open'), action.which);
        return row && twin.as('alice').merge(REPO, row.number);
      }
      case 'close': {
        const row = pick(pulls('open'), action.which);
        return row && twin.as('alice').close(REPO, row.number);
      }
      case 'reopen': {
        const row = pick(
          pulls('closed').filter(({ pull }) => pull?.mergedAt == null),
          action.which,
        );
        return row && twin.as('alice').reopen(REPO, row.number);
      }
      case 'delete-branch': {
        const row = pick(pulls('any'), action.which);
        return row?.pull && twin.as('alice').deleteBranch(REPO, row.pull.headRef);
      }
      case 'close-issue':
      case 'reopen-issue': {
        const row = issue(action.which);
        if (row === undefined) return undefined;
        const person = twin.as('alice');
        return action.kind === 'close-issue'
          ? person.close(REPO, row.number)
          : person.reopen(REPO, row.number);
      }
      case 'rename-issue': {
        const row = issue(action.which);
        texts += 1;
        const title = `Renamed ${texts}`;
        return row && twin.as('alice').request('PATCH', `/repos/${REPO}/issues/${row.number}`, { title });
      }
      case 'move-base': {
        texts += 1;
        const clash = world.remote
          .listFiles(world.remote.readHead('main') ?? '')
          ?.find((path) => path.startsWith('src/'));
        return twin.as('alice').pushFiles(REPO, 'main', { [clash ?? 'main.txt']: `moved ${texts}\n` });
      }
      case 'take-over': {
        const row = place(action);
        return row && twin.as('alice').label(REPO, row.number, IGNORE);
      }
      case 'hand-back': {
        const row = place(action);
        return row && twin.as('alice').unlabel(REPO, row.number, IGNORE);
      }
      case 'check': {
        const row = pick(pulls('open'), action.which);
        if (row?.pull == null) return undefined;
        const run = twin.actions.start(REPO, { branch: row.pull.headRef, by: 'alice' });
        return twin.actions.finish(run, action.conclusion, { log: 'a log\n' });
      }
      default:
        return undefined;
    }
  };
  const change = ({
    kind,
    which,
  }: {
    kind: 'edit' | 'delete';
    which: number;
  }): Promise<unknown> | undefined => {
    const entry = pick(
      posted.filter((one) => one.kind !== 'review_summary'),
      which,
    );
    if (entry === undefined) return undefined;
    const person = twin.as(entry.by);
    const isLine = entry.kind === 'review';
    if (kind === 'delete')
      return isLine ? person.deleteReviewComment(REPO, entry.id) : person.deleteComment(REPO, entry.id);
    const body = write('plain');
    entry.text = 'plain';
    return isLine ? person.editReviewComment(REPO, entry.id, body) : person.editComment(REPO, entry.id, body);
  };

  return {
    posted,
    rows,
    /** Gives a command as alice. */
    order: (number: number, words: string): Promise<void> =>
      note(
        { kind: 'issue', by: 'alice', number, text: 'command' },
        twin.as('alice').comment(REPO, number, `/mergexo ${words}`),
      ),
    /** Acts as a person. GitHub's refusal is an answer, not an error. */
    async act(action: Action): Promise<void> {
      try {
        await act(action);
      } catch (error) {
        const isRefusal =
          error instanceof Error &&
          (error.name === 'Refused' || /branch|fast-forward|no issue/.test(error.message));
        if (!isRefusal) throw error;
      }
    },
  };
}

/** Finds a signature in the thread, to copy it. */
function findMarker({ world, userId }: Twin): string {
  const own = world.store.comments.filter((row) => row.userId === userId(POSTER)).at(-1);
  return own?.body.slice(own.body.indexOf('<!-- mergexo-meta')) ?? '<!-- mergexo-action:0 -->';
}
