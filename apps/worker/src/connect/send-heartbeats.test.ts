import { existsSync, readFileSync, rmSync } from 'node:fs';
import { useTemporaryDirectory } from '@mergexo/testkit';
import { sendHeartbeats } from './send-heartbeats.js';

describe('sendHeartbeats', () => {
  const pathTo = useTemporaryDirectory();

  const beatOnce = async (answer: { kind: 'ok' } | undefined, healthFile: string) => {
    const sent: unknown[] = [];
    const sendOnce = async (message: unknown) => {
      sent.push(message);
      return answer;
    };
    await sendHeartbeats({ sendOnce }, { workerId: 'w1', notices: () => [], healthFile })();
    return sent;
  };

  it('records when the poller acknowledged a heartbeat', async () => {
    expect(await beatOnce({ kind: 'ok' }, pathTo('health.json'))).toMatchObject([
      { kind: 'heartbeat', workerId: 'w1', sequence: 1 },
      { kind: 'heartbeat', leaving: true, sequence: 3 },
    ]);
    expect(JSON.parse(readFileSync(pathTo('health.json'), 'utf8'))).toMatchObject({ worker: 'w1' });
  });

  it('records nothing if the poller does not answer', async () => {
    expect(await beatOnce(undefined, pathTo('health.json'))).toMatchObject([
      { sequence: 1 },
      { sequence: 2 },
    ]);
    expect(existsSync(pathTo('health.json'))).toBe(false);
  });

  it('keeps sending if the record cannot be written', async () => {
    rmSync(pathTo(), { recursive: true });
    expect(await beatOnce({ kind: 'ok' }, pathTo('health.json'))).toHaveLength(2);
  });
});
