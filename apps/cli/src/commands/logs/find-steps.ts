import { Failure, MERGEXO_CLI, UsageError } from '@mergexo/core/basics';
import { countOf } from '@mergexo/core/text';
import type { Repository, Snapshot, State, StepFilter } from '@mergexo/state';
import { findRepositories, nameOf } from '../../read-state.js';

/** The subject of the command: a filter for each repository or turn, and its name for people. */
export type Subject = { filter: StepFilter; name: string };

/** The shortest beginning of a turn key that a person can pass. */
const MIN_KEY = 8;

/** Accepts `4`, `#4`, `owner/name#4`, and the beginning of a turn key. Without a name, selects all turns. */
export function findSubject(facts: Snapshot, name: string | undefined, repo: string | undefined): Subject {
  if (name === undefined && repo === undefined) return { filter: {}, name: 'any turn' };
  const [, inName, digits] = /^(?:([\w.-]+\/[\w.-]+)?#)?([1-9]\d{0,8})$/.exec(name ?? '') ?? [];
  if (digits !== undefined) return findIssue(facts.state, Number(digits), inName ?? repo);
  if (name === undefined)
    throw new UsageError('Add the number of an issue or pull request, or omit --repo to see all turns.');
  if (name.length >= MIN_KEY && /^[0-9a-f]{1,64}$/.test(name)) return findTurn(facts, name);
  throw new UsageError(
    `Pass the number of an issue or a pull request, or at least ${MIN_KEY} characters of a turn key, not ${JSON.stringify(name)}.`,
  );
}

function findIssue(state: State, asked: number, repo: string | undefined): Subject {
  const repositories = findRepositories(state, repo);
  const found = repositories.flatMap((repository) => {
    const issueNumber = state.readPull(repository.id, asked)?.issueNumber ?? asked;
    const runs = state.listRunsOfIssue(repository.id, issueNumber);
    return runs.length === 0 ? [] : [{ repository, issueNumber }];
  });
  const [first] = found;
  if (first === undefined) throw unknown(repositories, asked);
  if (found.length > 1)
    throw new UsageError(
      `${countOf(found.length, 'repository')} have work on #${asked}. Add --repo <owner/name>: ${found.map(({ repository }) => nameOf(repository)).join(', ')}.`,
    );
  const { repository, issueNumber } = first;
  return {
    filter: { issue: { repoId: repository.id, issueNumber } },
    name: `${nameOf(repository)}#${asked}`,
  };
}

function unknown(repositories: readonly Repository[], asked: number): Failure {
  const names = repositories.map((repository) => `${nameOf(repository)}#${asked}`).join(' or ');
  return new Failure(
    'not-found',
    repositories.length === 0
      ? `The poller has not polled any repository yet. Start it with \`${MERGEXO_CLI} up\`.`
      : `MergeXO has done no work on ${names}. Run \`${MERGEXO_CLI} explain ${asked}\` to see why.`,
  );
}

function findTurn({ sqlite }: Snapshot, prefix: string): Subject {
  const keys = sqlite
    .prepare<[string, string], string>(
      'select turn_key from turns where turn_key >= ? and turn_key < ? limit 2',
    )
    .pluck()
    .all(prefix, `${prefix}g`);
  const [turnKey] = keys;
  if (turnKey === undefined) throw new Failure('not-found', `MergeXO has no turn ${prefix}. Check the key.`);
  if (keys.length > 1) throw new UsageError(`Several turns begin with ${prefix}. Pass more of the key.`);
  return { filter: { turnKey }, name: `turn ${turnKey.slice(0, 12)}` };
}
