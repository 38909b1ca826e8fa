import { keysOf } from '../basics/keys-of.js';
import { FLOW_TRAITS, FLOWS, type Flow, listStartWords } from '../flows/flow.js';

type CommandTraits = {
  /** `allowed`: everyone in `allowed_users`, and operators. */
  by: 'operator' | 'allowed';
  place: 'issue' | 'pull' | 'both';
  /** True if `reason=<text>` may follow, for the timeline. */
  takesReason?: true;
  /** Each form of the command, as typed after `/mergexo`, with its effect. */
  help: readonly { form: string; about: string }[];
};

/** The only table of commands. After you add a command, the compiler reports every other place to update. */
export const COMMAND_TRAITS = {
  status: {
    by: 'operator',
    place: 'both',
    help: [{ form: 'status', about: 'show what MergeXO is doing here and what it is waiting for' }],
  },
  unblock: {
    by: 'operator',
    place: 'both',
    takesReason: true,
    help: [
      { form: 'unblock', about: 'unblock the work and resume it' },
      {
        form: 'unblock head_sha=<40 digits>',
        about: 'unblock, and accept the current head commit after a history rewrite',
      },
    ],
  },
  retry: {
    by: 'operator',
    place: 'both',
    takesReason: true,
    help: [{ form: 'retry', about: 'retry failed work now instead of waiting for the scheduled retry' }],
  },
  pause: {
    by: 'operator',
    place: 'both',
    takesReason: true,
    help: [{ form: 'pause', about: 'start no new turns for this issue until `/mergexo resume`' }],
  },
  cancel: {
    by: 'operator',
    place: 'both',
    takesReason: true,
    help: [{ form: 'cancel', about: 'stop the running turn, and pause this issue' }],
  },
  resume: {
    by: 'operator',
    place: 'both',
    takesReason: true,
    help: [
      {
        form: 'resume',
        about:
          'continue after a pause, or resume the AI review after it stopped and asked a person to decide',
      },
    ],
  },
  'skip-review': {
    by: 'operator',
    place: 'pull',
    takesReason: true,
    help: [{ form: 'skip-review', about: 'approve the current head without an AI review' }],
  },
  dismiss: {
    by: 'operator',
    place: 'pull',
    help: [
      {
        form: 'dismiss',
        about: 'as a reply to a finding: dismiss it, so that later reviews do not raise it again',
      },
    ],
  },
  /** The agent answers an update request in the same way as a comment. */
  update: {
    by: 'allowed',
    place: 'pull',
    help: [{ form: 'update', about: 'merge the base branch into this branch with a merge commit' }],
  },
  /** Each flow defines its own start word. */
  start: { by: 'allowed', place: 'issue', help: listStartForms() },
  help: { by: 'operator', place: 'both', help: [{ form: 'help', about: 'show this help' }] },
} as const satisfies Record<string, CommandTraits>;
export type CommandKind = keyof typeof COMMAND_TRAITS;

/** Commands that take a reason, and otherwise no argument. */
export type ReasonedKind = Exclude<
  {
    [Kind in CommandKind]: (typeof COMMAND_TRAITS)[Kind] extends { takesReason: true } ? Kind : never;
  }[CommandKind],
  'unblock'
>;
/** Commands without arguments. */
export type PlainKind = Exclude<CommandKind, ReasonedKind | 'start' | 'unblock'>;

export type Command =
  | { [Kind in PlainKind]: { kind: Kind } }[PlainKind]
  | { [Kind in ReasonedKind]: { kind: Kind; reason: string | null } }[ReasonedKind]
  | { kind: 'start'; flow: Flow }
  | { kind: 'unblock'; headSha: string | null; reason: string | null }
  | { kind: 'unknown'; name: string };

type Place = 'issue' | 'pull';
type KindOn<Where extends Place> = {
  [Kind in CommandKind]: (typeof COMMAND_TRAITS)[Kind]['place'] extends Where | 'both' ? Kind : never;
}[CommandKind];
export type CommandOn<Where extends Place> = Extract<Command, { kind: KindOn<Where> | 'unknown' }>;

/** True if MergeXO handles the command in this place. An unknown command gets a reply in every place. */
export function isGivenOn<Where extends Place>(command: Command, where: Where): command is CommandOn<Where> {
  if (command.kind === 'unknown') return true;
  const { place } = COMMAND_TRAITS[command.kind];
  return place === where || place === 'both';
}

export function needsOperator({ kind }: Command): boolean {
  return kind === 'unknown' || COMMAND_TRAITS[kind].by === 'operator';
}

export const COMMAND_KINDS: readonly CommandKind[] = keysOf(COMMAND_TRAITS);

export function isReasoned(name: string): name is ReasonedKind {
  const kind = COMMAND_KINDS.find((known) => known === name);
  return kind !== undefined && kind !== 'unblock' && 'takesReason' in COMMAND_TRAITS[kind];
}

export function isPlain(name: string): name is PlainKind {
  return Object.hasOwn(COMMAND_TRAITS, name) && !isReasoned(name) && name !== 'start' && name !== 'unblock';
}

function listStartForms(): { form: string; about: string }[] {
  return listStartWords().map((form) => {
    const flow = FLOWS.find((candidate) => FLOW_TRAITS[candidate].command === form);
    return { form, about: (flow && FLOW_TRAITS[flow].label?.description) ?? form };
  });
}
