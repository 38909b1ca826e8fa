import { FLOW_TRAITS, type Flow } from '../flows/flow.js';
import { formatSince } from '../health/describe-health.js';
import { countOf } from '../text/count-of.js';
import { linkFile } from '../text/link-file.js';
import { describeStage, linkTo, type StageFacts, type StagePull } from './describe-stage.js';
import { roundDuration } from './round-duration.js';

export type StatusFacts = StageFacts & {
  flow: Flow;
  /** Earlier runs of the issue that opened a pull request, oldest first. */
  earlier: readonly { flow: Flow; pull: StagePull }[];
  /** The design document, once a pull request contains it. */
  document: { path: string; baseUrl: string } | undefined;
  use: {
    /** Number of ended turns. A running turn does not count, so that the passing of time alone causes no edits. */
    turns: number;
    /** Total time of the ended turns. */
    busyMs: number;
    costUsd: number;
    tokens: number;
  };
};

/**
 * `isFinal`: only a new run changes the text. `isMinor`: the text will change again within minutes, and the reactions on
 * the pull request already show the same.
 */
export type StatusText = { text: string; isFinal: boolean; isMinor: boolean };

const FOOTER = '_MergeXO edits this comment as the work proceeds. GitHub does not notify anybody of edits._';

const PULL_STATUS: Record<StagePull['status'], string> = {
  awaiting_feedback: 'open',
  blocked: 'open',
  merged: 'merged',
  closed: 'closed',
};

/** Renders the status comment of an issue. Small steps in time and cost leave the text unchanged. */
export function renderStatus(facts: StatusFacts): StatusText {
  const { flow, pull, earlier, document, use, turn, now } = facts;
  const { title, waitsFor, isFinal = false, isPassing = false } = describeStage(facts);
  const rows = [
    ['Task', FLOW_TRAITS[flow].name],
    ...(waitsFor === undefined ? [] : [['Waiting for', waitsFor]]),
    ...(turn === undefined ? [] : [['Turn opened', formatSince(turn.openedAt, now)]]),
    ...(pull === undefined ? [] : [['Pull request', `${linkTo(pull)} (${PULL_STATUS[pull.status]})`]]),
    ...earlier.map((run) => [
      FLOW_TRAITS[run.flow].name,
      `${linkTo(run.pull)} (${PULL_STATUS[run.pull.status]})`,
    ]),
    ...(document === undefined ? [] : [['Document', linkFile(document.path, document.baseUrl)]]),
    ...(use.turns === 0 ? [] : [['So far', describeUse(use)]]),
  ];
  const list = rows.map(([name, value]) => `- ${name}: ${value}`).join('\n');
  return {
    text: [`**Status: ${title}.**`, list, FOOTER].join('\n\n'),
    isFinal,
    isMinor: isPassing && pull !== undefined,
  };
}

/** If an agent reports no cost, the cost is unknown, so the comment shows tokens instead. */
function describeUse({ turns, busyMs, costUsd, tokens }: StatusFacts['use']): string {
  const cost =
    costUsd > 0 ? [`$${costUsd.toFixed(2)}`] : tokens > 0 ? [`${formatTokens(tokens)} tokens`] : [];
  return [countOf(turns, 'turn'), roundDuration(busyMs), ...cost].join(', ');
}

function formatTokens(tokens: number): string {
  if (tokens >= 1_000_000) return `${(tokens / 1_000_000).toFixed(1)} million`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)} thousand` : String(tokens);
}
