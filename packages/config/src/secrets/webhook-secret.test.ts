import { readWebhookSecrets } from './webhook-secret.js';

const NEW = 'n'.repeat(16);
const OLD = 'o'.repeat(20);

describe('the secret of the webhook', () => {
  it('can be replaced: the old one counts as long as it is listed', () => {
    expect(readWebhookSecrets(NEW)).toEqual([NEW]);
    expect(readWebhookSecrets(`${NEW}\n ${OLD}\n`)).toEqual([NEW, OLD]);
  });

  it.each([
    ['missing', undefined, /webhook\.listen is set, but the secret of the webhook is missing/],
    ['blank', ' \n', /missing/],
    ['short', 'hunter2', /at least 16 characters/],
    ['short next to a long one', `${NEW} hunter2`, /at least 16 characters/],
  ])('is refused if it is %s, without printing it', (_name, value, message) => {
    expect(() => readWebhookSecrets(value)).toThrow(message);
    expect(() => readWebhookSecrets(value)).not.toThrow(/hunter2/);
  });
});
