import type { ActionContent } from '@mergexo/core/actions';
import { type Command, renderCommandHelp, renderIgnoredCommands } from '@mergexo/core/commands';
import { neutraliseText } from '@mergexo/core/text';

export const REPLIES = ['command_reply', 'unblock_notice', 'resume_notice'] as const;

/** Replies that end a block or an escalation have their own kinds, because a rebuild from GitHub searches for them. */
export type Reply = ActionContent<(typeof REPLIES)[number]>;

export const reply = (text: string): Reply => ({ kind: 'command_reply', payload: { text } });

export function replyUnknown({ name }: Extract<Command, { kind: 'unknown' }>): Reply {
  const quoted = neutraliseText(name).replaceAll('`', "'");
  return reply(`There is no command \`${quoted}\`.\n\n${renderCommandHelp()}`);
}

/** Adds the ignored commands to the reply, because MergeXO runs only the first command of a comment. */
export function appendIgnoredCommands(reply: Reply, body: string): Reply {
  const text = reply.payload.text + renderIgnoredCommands(body);
  if (reply.kind === 'unblock_notice') return { kind: reply.kind, payload: { ...reply.payload, text } };
  return { kind: reply.kind, payload: { text } };
}
