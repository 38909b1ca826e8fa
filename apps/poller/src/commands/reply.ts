export const REPLIES = ['command_reply', 'unblock_notice', 'resume_notice'] as const;

/** What lifts a brake says so in its kind: whoever rebuilds the state from GitHub reads it there. */
export type Reply = { kind: (typeof REPLIES)[number]; words: string };

export const reply = (words: string): Reply => ({ kind: 'command_reply', words });
