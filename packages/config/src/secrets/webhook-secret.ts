import { fileError } from '../parse/config-error.js';

const NAME = 'MERGEXO_WEBHOOK_SECRET';
const MIN_LENGTH = 16;

/**
 * Reads the secrets that sign deliveries, newest first. Separate several by white space, so that deliveries with the
 * old secret still count while you replace it on GitHub.
 */
export function readWebhookSecrets(fromEnvironment: string | undefined): readonly string[] {
  const secrets = (fromEnvironment ?? '').split(/\s+/).filter((secret) => secret !== '');
  if (secrets.length === 0)
    throw fileError(
      NAME,
      'webhook.listen is set, but the secret of the webhook is missing. Set this variable to the secret that you entered on GitHub',
    );
  if (secrets.some((secret) => secret.length < MIN_LENGTH))
    throw fileError(NAME, `each secret of the webhook needs at least ${MIN_LENGTH} characters`);
  return secrets;
}
