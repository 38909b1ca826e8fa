import type { Context } from '../../context.js';
import { findService } from '../../service/find-service.js';
import { removeService } from '../../service/remove-service.js';

/** Stops the service and removes its file. Keeps the config and the data. */
export async function uninstallService(context: Context): Promise<void> {
  const service = findService(context.homeDir);
  if (service !== undefined) await removeService(service, context.env);
  context.print({ ok: true, removed: service !== undefined, path: service?.path ?? null }, () => [
    service === undefined
      ? 'There is no service to remove.'
      : `Stopped and removed the service: ${service.path}. The config and the data were kept.`,
  ]);
}
