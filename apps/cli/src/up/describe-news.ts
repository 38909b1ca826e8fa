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
    case 'died':
      return [{ facts: { event: 'died', how: news.how }, words: `died (${news.how})` }];
    case 'restarting':
      return [{ facts: { event: 'restarting' }, words: `starts again in ${news.delayMs / 1_000} s` }];
    case 'cannot_start':
      return [
        { facts: { event: 'cannot_start' }, words: 'cannot start; everything else goes on. Its last lines:' },
        ...news.lastLines.map((words) => ({ facts: { event: 'last_line' }, words })),
      ];
    case 'gave_up':
      return [
        { facts: { event: 'gave_up' }, words: 'refuses to start; its last lines:' },
        ...news.lastLines.map((words) => ({ facts: { event: 'last_line' }, words })),
      ];
    case 'stopped':
      return [{ facts: { event: 'stopped' }, words: 'stopped' }];
  }
}
