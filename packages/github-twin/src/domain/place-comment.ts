import { isSha } from '../git/commits.js';
import { carryLine, findLine, type Hunk, parseHunks } from '../git/parse-patch.js';
import type { Place, PullIssue, Side } from '../store/rows.js';
import type { InRepo } from '../world/world.js';

export type WantedPlace = {
  path: string;
  commitId: string;
  line: number;
  startLine?: number | undefined;
  startSide?: Side | undefined;
  side?: Side | undefined;
};
export type Placed = { kind: 'placed'; place: Place } | { kind: 'off-diff'; what: OffDiff };
/** The part of a comment's location that is missing from the diff. */
export type OffDiff = 'commit' | 'path' | 'line';

/** Finds the line for a new comment. Only lines in the pull request's diff can have comments. */
export async function placeComment(
  { world, repo }: InRepo,
  { pull }: PullIssue,
  { path, commitId, line, startLine, side = 'RIGHT', startSide = side }: WantedPlace,
): Promise<Placed> {
  const gitRepo = world.gitRepo(repo);
  const known = isSha(commitId) && (await gitRepo.isAncestor(commitId, pull.headSha));
  const compared = known ? await gitRepo.compare(pull.baseSha, commitId) : undefined;
  if (!compared || compared.aheadBy === 0) return { kind: 'off-diff', what: 'commit' };
  const file = compared.files.find((change) => change.filename === path);
  if (!file) return { kind: 'off-diff', what: 'path' };
  const hunks = parseHunks(file.patch ?? '');
  const spot = findLine(hunks, side, line);
  const isRange = startLine !== undefined && (startLine !== line || startSide !== side);
  if (!spot || (isRange && !isInHunk(hunks, { side, line }, { side: startSide, line: startLine })))
    return { kind: 'off-diff', what: 'line' };
  const range = isRange ? { startLine, startSide, line } : { startLine: null, startSide: null, line };
  return { kind: 'placed', place: { path, commitId, baseId: compared.mergeBase, side, ...range, ...spot } };
}

type End = { side: Side; line: number };

/** True if a range lies in one hunk, and its start comes before its end. */
function isInHunk(hunks: Hunk[], last: End, first: End): boolean {
  return hunks.some((hunk) => {
    const [start, end] = [first, last].map(({ side, line }) => findLine([hunk], side, line)?.position);
    return start !== undefined && end !== undefined && start <= end;
  });
}

export type Standing = {
  commitId: string;
  startLine: number | null;
  line: number | null;
  position: number | null;
};

/** Finds the comment's line in the current diff. The line is null if a push changed it or removed it from the diff. */
export async function locateComment(
  { world, repo }: InRepo,
  issue: PullIssue,
  place: Place,
): Promise<Standing> {
  const { headSha } = issue.pull;
  if (headSha === place.commitId) {
    const { startLine, line, position } = place;
    return { commitId: headSha, startLine, line, position };
  }
  const gitRepo = world.gitRepo(repo);
  const compared = await gitRepo.compare(issue.pull.baseSha, headSha);
  const file = compared?.files.find((change) => change.filename === place.path);
  const outdated = { commitId: place.commitId, startLine: null, line: null, position: null };
  if (!compared || !file) return outdated;
  const carry = async (side: Side, old: number): Promise<number | undefined> => {
    const [from, to] = side === 'LEFT' ? [place.baseId, compared.mergeBase] : [place.commitId, headSha];
    const edits = from === to ? [] : ((await gitRepo.readEdits(from, to)).get(place.path) ?? []);
    return carryLine(edits, old);
  };
  const line = await carry(place.side, place.line);
  const spot = line === undefined ? undefined : findLine(parseHunks(file.patch ?? ''), place.side, line);
  const { startSide } = place;
  const startLine = place.startLine === null ? null : await carry(startSide ?? place.side, place.startLine);
  if (line === undefined || startLine === undefined || !spot) return outdated;
  return { commitId: headSha, startLine, line, position: spot.position };
}
