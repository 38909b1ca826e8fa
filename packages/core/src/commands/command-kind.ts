import { FLOW_TRAITS, FLOWS, type Flow, listStartWords } from '../flows/flow.js';

type CommandTraits = {
  /** `allowed`: everybody in `allowed_users`, and operators. */
  by: 'operator' | 'allowed';
  place: 'issue' | 'pull' | 'both';
  /** What follows the name of each form, and what that form does. */
  help: readonly { form: string; about: string }[];
};

/** Everything that sets one command apart from another. A new command gets a row here, and the compiler lists the rest. */
export const COMMAND_TRAITS = {
  status: {
    by: 'operator',
    place: 'both',
    help: [{ form: 'status', about: 'what happens here, and what it waits for' }],
  },
  unblock: {
    by: 'operator',
    place: 'both',
    help: [
      { form: 'unblock', about: 'resume after a block' },
      {
        form: 'unblock head_sha=<40 digits>',
        about: 'resume, and accept the present head of the branch as the one from which history grows',
      },
    ],
  },
  retry: {
    by: 'operator',
    place: 'both',
    help: [{ form: 'retry', about: 'retry now what failed, also while a retry waits for its time' }],
  },
  resume: {
    by: 'operator',
    place: 'pull',
    help: [{ form: 'resume', about: 'resume the review after it asked for a person' }],
  },
  dismiss: {
    by: 'operator',
    place: 'pull',
    help: [{ form: 'dismiss', about: 'as a reply to a finding: it is none, and is not raised again' }],
  },
  /** A request to the agent: it is answered like a comment. */
  update: {
    by: 'allowed',
    place: 'pull',
    help: [{ form: 'update', about: 'merge the base branch in, by a merge commit' }],
  },
  /** Its words are those of the flows. */
  start: { by: 'allowed', place: 'issue', help: listStartForms() },
  help: { by: 'operator', place: 'both', help: [{ form: 'help', about: 'this text' }] },
} as const satisfies Record<string, CommandTraits>;
export type CommandKind = keyof typeof COMMAND_TRAITS;

/** Commands that consist of their name alone. */
export type PlainKind = Exclude<CommandKind, 'start' | 'unblock'>;

export type Command =
  | { [Kind in PlainKind]: { kind: Kind } }[PlainKind]
  | { kind: 'start'; flow: Flow }
  | { kind: 'unblock'; headSha: string | null }
  | { kind: 'unknown'; name: string };

type Place = 'issue' | 'pull';
type KindOn<Where extends Place> = {
  [Kind in CommandKind]: (typeof COMMAND_TRAITS)[Kind]['place'] extends Where | 'both' ? Kind : never;
}[CommandKind];
export type CommandOn<Where extends Place> = Extract<Command, { kind: KindOn<Where> | 'unknown' }>;

/** An unknown command is answered wherever it is given. */
export function isGivenOn<Where extends Place>(command: Command, where: Where): command is CommandOn<Where> {
  if (command.kind === 'unknown') return true;
  const { place } = COMMAND_TRAITS[command.kind];
  return place === where || place === 'both';
}

export function needsOperator({ kind }: Command): boolean {
  return kind === 'unknown' || COMMAND_TRAITS[kind].by === 'operator';
}

const isCommand = (name: string): name is CommandKind => Object.hasOwn(COMMAND_TRAITS, name);

export const COMMAND_KINDS: readonly CommandKind[] = Object.keys(COMMAND_TRAITS).filter(isCommand);

export function isPlain(name: string): name is PlainKind {
  return isCommand(name) && name !== 'start' && name !== 'unblock';
}

function listStartForms(): { form: string; about: string }[] {
  return listStartWords().map((form) => {
    const flow = FLOWS.find((candidate) => FLOW_TRAITS[candidate].command === form);
    return { form, about: (flow && FLOW_TRAITS[flow].label?.description) ?? form };
  });
}
