import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createFetch } from '@mergexo/github';
import { convertCode } from './convert-code.js';

type Reply = { status: number; body: unknown } | 'drop';

describe('the exchange of the code for the key', () => {
  let server: Server;
  let apiUrl: string;
  let replies: Reply[];
  let asked: string[];
  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      const reply = replies.shift() ?? 'drop';
      if (reply === 'drop') return void request.socket.destroy();
      response.writeHead(reply.status).end(JSON.stringify(reply.body));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    apiUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/api/v3/`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const convert = (...given: Reply[]) => {
    replies = given;
    return convertCode({ apiUrl, fetch: createFetch(), pauseMs: 1 }, 'c-1');
  };
  const SECRET = { client_id: 'Iv1.a', pem: 'PEM' };
  const DETAILS = { slug: 'mergexo', html_url: 'https://ghe.test/github-apps/mergexo', webhook_secret: null };

  it('sends the code without a login', async () => {
    const answer = { status: 201, body: { ...SECRET, ...DETAILS, id: 1 } };
    expect(await convert(answer)).toEqual({ clientId: 'Iv1.a', pem: 'PEM', details: DETAILS });
    expect(asked).toEqual(['POST /api/v3/app-manifests/c-1/conversions undefined']);
  });

  it('keeps a key even if everything else in the answer is unexpected', async () => {
    const answer = { status: 201, body: { ...SECRET, slug: 7 } };
    expect(await convert(answer)).toEqual({ clientId: 'Iv1.a', pem: 'PEM', details: undefined });
  });

  it('repeats the request three times if GitHub does not respond', async () => {
    const answer = { status: 201, body: SECRET };
    expect(await convert('drop', { status: 502, body: null }, answer)).toMatchObject({ pem: 'PEM' });
    await expect(convert('drop', 'drop', 'drop', answer)).rejects.toMatchObject({ kind: 'unavailable' });
    expect(asked).toHaveLength(6);
  });

  it('reports the key as lost if the first response was lost', async () => {
    const lost = convert('drop', { status: 404, body: { message: 'Not Found' } });
    await expect(lost).rejects.toThrow('refused to send the key of the App with 404');
    expect(asked).toHaveLength(2);
    await expect(convert({ status: 201, body: {} })).rejects.toThrow('GitHub sent no key');
  });
});
