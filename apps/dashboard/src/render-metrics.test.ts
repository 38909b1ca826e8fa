import { renderMetrics } from './render-metrics.js';

describe('renderMetrics', () => {
  it('omits unknown values', () => {
    expect(renderMetrics({ state: undefined, carrier: undefined })).toBe(
      [
        '# HELP mergexo_state_up 1 if the database can be read.',
        '# TYPE mergexo_state_up gauge',
        'mergexo_state_up 0',
        '# HELP mergexo_redis_up 1 if Redis responds.',
        '# TYPE mergexo_redis_up gauge',
        'mergexo_redis_up 0',
        '',
      ].join('\n'),
    );
  });

  it('escapes labels, so that a label cannot add a line', () => {
    const counts = { active: 0, waiting: 3, prioritized: 0, delayed: 0, completed: 0, failed: 0 };
    const text = renderMetrics({
      state: undefined,
      carrier: { counts: [{ queue: 'a"b\\c\nmergexo_evil 1', counts }] },
    });
    expect(text).toContain('mergexo_queue_size{queue="a\\"b\\\\c\\nmergexo_evil 1",state="waiting"} 3\n');
    expect(text).not.toMatch(/^mergexo_evil/m);
  });
});
