import type { Op, Schedule } from './op.js';

/** Describes a schedule, one sentence per operation. */
export function describeSchedule({ ops, variant }: Schedule): string[] {
  const settings = Object.entries(variant).map(([name, value]) => `${name} ${value}`);
  let at = 0;
  return [
    `settings: ${settings.join(', ')}`,
    ...ops.map((op) => {
      at += op.after;
      return `${(at / 1_000).toFixed(1).padStart(7)} s: ${describeOp(op)}`;
    }),
  ];
}

function describeOp(op: Op): string {
  switch (op.kind) {
    case 'open-issue':
      return `${op.by} opens an issue${op.flow === null ? '' : ` for a ${op.flow}`}`;
    case 'label':
      return `${op.by} labels issue ${op.which} for a ${op.flow}`;
    case 'comment-issue':
    case 'comment-pull':
    case 'comment-line':
      return `${op.by} posts a ${op.text} ${op.kind.replace('comment-', 'comment on ')} ${op.which}`;
    case 'reply-line':
      return `${op.by} replies in line thread ${op.which}`;
    case 'review':
      return `${op.by} reviews pull request ${op.which} with ${op.verdict} and ${op.lines} line comments`;
    case 'edit':
    case 'delete':
      return `somebody ${op.kind}s their text ${op.which}`;
    case 'spoil-own':
      return `alice ${op.how}s MergeXO's comment ${op.which}`;
    case 'command':
      return `${op.by} writes /mergexo ${op.order} on ${op.on} ${op.which}`;
    case 'take-over':
    case 'hand-back':
      return `alice ${op.kind === 'take-over' ? 'takes over' : 'hands back'} ${op.on} ${op.which}`;
    case 'check':
      return `a check of pull request ${op.which} ends with ${op.conclusion}`;
    case 'operate':
      return `an operator requests ${op.order} ${op.whole ? 'of everything' : `of ${op.which}`}`;
    case 'mood':
      return `the next agents: ${op.moods.join(', ')}`;
    case 'fault':
      return `GitHub's next fault: ${JSON.stringify(op.fault)}`;
    case 'slow':
      return `GitHub and git are slow for ${op.ms / 1_000} s`;
    case 'calm':
      return 'all trouble ends';
    case 'arm':
      return `a process will crash at ${op.failpoint}, time ${op.ordinal}`;
    case 'doom':
      return `the ${op.process} will crash ${op.doors} messages later`;
    case 'crash':
      return `kill -9 of the ${op.process}`;
    case 'drain':
      return `the ${op.process} is asked to stop`;
    case 'cut':
      return op.link === 'github'
        ? `GitHub is unreachable for ${op.ms / 1_000} s`
        : `the ${op.link} loses its connections for ${op.ms / 1_000} s`;
    case 'push-trouble':
      return `the next push: ${op.trouble}`;
    case 'fill-disk':
      return `the disk is full for ${op.writes} writes`;
    case 'jump-clock':
      return `the clock of the hosts is set by ${op.ms / 1_000} s`;
    case 'flush':
      return 'Redis loses its data';
    case 'lose-state':
      return 'the database is lost';
    case 'back-up':
      return 'a backup of the database is made';
    case 'restore':
      return 'the backup is restored';
    case 'move-base':
      return 'alice pushes to main';
    default:
      return `alice: ${op.kind} ${op.which}`;
  }
}
