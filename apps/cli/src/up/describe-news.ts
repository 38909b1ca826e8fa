import { describeLine } from './describe-line.js';
import type { ChildNews } from './keep-running.js';

type Telling = { facts: { event: string; [fact: string]: unknown }; words: string };

/** What is said about a child: usually one line, for most of its own lines none. */
export function describeNews(news: ChildNews, verbose: boolean): Telling[] {
  switch (news.kind) {
    case 'started': {
      const words = `started${news.again ? ' again' : ''} (pid ${news.pid})`;
      return [{ facts: { event: 'started', pid: news.pid }, words }];
    }
    case 'line': {
      const told = describeLine(news.line);
      if (told !== undefined) return [{ facts: { event: told.event }, words: told.words }];
      return verbose ? [{ facts: { event: 'line' }, words: news.line }] : [];
    }
    case 'restarting': {
      const { how, delayMs } = news;
      const words = `ended (${how}); starts again in ${delayMs / 1_000} s`;
      return [{ facts: { event: 'restarting', how, delay_seconds: delayMs / 1_000 }, words }];
    }
    case 'cannot_start':
      return [describeFailedStart(news)];
    case 'gave_up':
      return [
        { facts: { event: 'gave_up' }, words: `refuses to start (${news.how}); its last lines:` },
        ...news.lastLines.map((words) => ({ facts: { event: 'last_line' }, words })),
      ];
    case 'stopped':
      return [{ facts: { event: 'stopped' }, words: 'stopped' }];
  }
}

/** The reason is told once, as long as it stays the same. */
function describeFailedStart(news: Extract<ChildNews, { kind: 'cannot_start' }>): Telling {
  const { how, delayMs, reason, again, optional } = news;
  const next = `Next try in ${delayMs / 1_000} s`;
  const others = optional ? '; everything else runs' : '';
  return {
    facts: { event: 'restarting', how, delay_seconds: delayMs / 1_000 },
    words: again
      ? `still cannot start. ${next}`
      : `cannot start: ${reason.replace(/\.$/, '')}${others}. ${next}`,
  };
}
