import type { AddressInfo } from 'node:net';
import { createRedact } from '@mergexo/core/text';
import express from 'express';
import { redactResponses } from './redact-responses.js';

const BEGIN = '-----BEGIN RSA PRIVATE KEY-----';
const END = '-----END RSA PRIVATE KEY-----';

describe('a JSON response with parts of a private key in several texts', () => {
  it('keeps the texts between them, and hides known secrets', async () => {
    const app = express().use(redactResponses(createRedact(['a-known-secret-value'])));
    app.get('/', (_request, response) => {
      response.json([BEGIN, 'visible', END, 'has a-known-secret-value']);
    });
    const server = app.listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    try {
      const { port } = Object(server.address()) satisfies AddressInfo;
      const response = await fetch(`http://127.0.0.1:${port}/`);
      const any = expect.any(String);
      expect(await response.json()).toEqual([any, 'visible', any, 'has [redacted]']);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
