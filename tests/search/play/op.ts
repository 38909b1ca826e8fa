import type { Failpoint } from '@mergexo/core/basics';
import type { FaultInput } from '@mergexo/github-twin';
import type { Mood } from '../world/agent.js';
import type { StartFlow } from '../world/constants.js';
import type { PushTrouble } from '../world/remote.js';
import type { Variant } from '../world/settings.js';

export type Human = 'alice' | 'bob' | 'mallory' | 'ci[bot]';
/** What a comment says. */
export type Text = 'plain' | 'copied-marker' | 'quote' | 'empty-command' | 'long';
export type Order =
  | 'status'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'retry'
  | 'unblock'
  | 'skip-review'
  | 'update'
  | 'dismiss';
export type Process = 'poller' | 'worker-1' | 'worker-2';

/** `which` picks one of the objects that exist at that moment, so that a shorter schedule still makes sense. */
export type Action =
  | { kind: 'open-issue'; by: Human; flow: StartFlow | null }
  | { kind: 'label'; which: number; flow: StartFlow; by: Human }
  | { kind: 'comment-issue' | 'comment-pull' | 'comment-line'; which: number; by: Human; text: Text }
  | { kind: 'reply-line'; which: number; by: Human }
  | {
      kind: 'review';
      which: number;
      by: Human;
      verdict: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';
      lines: number;
    }
  | { kind: 'edit' | 'delete'; which: number }
  | { kind: 'spoil-own'; which: number; how: 'edit' | 'delete' }
  | { kind: 'command'; which: number; on: 'issue' | 'pull'; order: Order; by: Human }
  | { kind: 'push' | 'rewrite' | 'merge' | 'close' | 'reopen' | 'delete-branch'; which: number }
  | { kind: 'close-issue' | 'reopen-issue' | 'rename-issue'; which: number }
  | { kind: 'move-base' }
  | { kind: 'take-over' | 'hand-back'; which: number; on: 'issue' | 'pull' }
  | { kind: 'check'; which: number; conclusion: 'success' | 'failure' }
  | { kind: 'operate'; order: 'pause' | 'resume' | 'cancel' | 'reset'; which: number; whole: boolean }
  | { kind: 'mood'; moods: Mood[] }
  | { kind: 'fault'; fault: FaultInput }
  | { kind: 'slow'; ms: number }
  | { kind: 'calm' }
  | { kind: 'arm'; failpoint: Failpoint; ordinal: number }
  | { kind: 'doom'; process: Process; doors: number }
  | { kind: 'crash' | 'drain'; process: Process }
  | { kind: 'cut'; link: 'github' | Process; ms: number }
  | { kind: 'push-trouble'; trouble: PushTrouble }
  | { kind: 'flush' | 'lose-state' | 'back-up' | 'restore' }
  | { kind: 'fill-disk'; writes: number }
  | { kind: 'jump-clock'; ms: number };

/** An action, and the time before it in which the world runs by itself. */
export type Op = Action & { after: number };

export type Schedule = { seed: number; variant: Variant; ops: readonly Op[] };
