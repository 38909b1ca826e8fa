import { jest } from '@jest/globals';
import MarkdownIt from 'markdown-it';
import { createReviewScene } from '../stage/review-scene.js';
import { NAME } from '../stage/stage.js';

afterEach(() => jest.restoreAllMocks());

it.each(['mallory', 'alice'])(
  'parses long comments only of people who may give commands: %s',
  async (login) => {
    const scene = await createReviewScene();
    const { stage, issue, pr } = scene;
    try {
      const marker = `from ${login}`;
      const body = `/mergexo status\n\n${marker}\n${'b\n'.repeat(3_000)}`;
      const parse = jest.spyOn(MarkdownIt.prototype, 'parse');
      for (const place of [issue, pr]) await stage.twin.as(login).comment(NAME, place, body);
      stage.advance(1_000);
      await stage.pollFeeds();
      expect(parse.mock.calls.some(([text]) => text.includes(marker))).toBe(login === 'alice');
    } finally {
      await stage.close();
    }
  },
);
