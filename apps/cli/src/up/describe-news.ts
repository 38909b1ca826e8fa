import { describeLine } from './describe-line.js';
import type { ChildNews } from './keep-running.js';

type Message = { facts: { event: string; [fact: string]: unknown }; words: string };

/** Renders an event of a child. Most log lines of a child produce no message. */
export function describeNews(news: ChildNews, verbose: boolean): Message[] {
  switch (news.kind) {
    case 'started': {
      const words = `${news.again ? 'restarted' : 'started'} (pid ${news.pid})`;
      return [{ facts: { event: 'started', pid: news.pid }, words }];
    }
    case 'line': {
      const told = describeLine(news.line);
      if (told !== undefined) return [{ facts: { event: told.event }, words: told.words }];
      return verbose ? [{ facts: { event: 'line' }, words: news.line }] : [];
    }
    case 'restarting': {
      const { how, delayMs } = news;
      const words = `exited (${how}). Restarting in ${delayMs / 1_000} s`;
      return [{ facts: { event: 'restarting', how, delay_seconds: delayMs / 1_000 }, words }];
    }
    case 'cannot_start':
      return [describeFailedStart(news)];
    case 'gave_up':
      return [
        { facts: { event: 'gave_up' }, words: `failed to start (${news.how}). Last lines of its output:` },
        ...news.lastLines.map((words) => ({ facts: { event: 'last_line' }, words })),
      ];
    case 'stopped':
      return [{ facts: { event: 'stopped' }, words: 'stopped' }];
  }
}

/** Includes the reason only if it changed. */
function describeFailedStart(news: Extract<ChildNews, { kind: 'cannot_start' }>): Message {
  const { how, delayMs, reason, again, optional } = news;
  const next = `Retrying in ${delayMs / 1_000} s`;
  const others = optional ? '; everything else keeps running' : '';
  return {
    facts: { event: 'restarting', how, delay_seconds: delayMs / 1_000 },
    words: again
      ? `still cannot start. ${next}`
      : `cannot start: ${reason.replace(/\.$/, '')}${others}. ${next}`,
  };
}
