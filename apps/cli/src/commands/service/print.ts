import type { Context } from '../../context.js';
import { buildService, type ServiceOptions } from '../../service/build-service.js';

/** Prints a service file for `mergexo up`. The comments in the file explain how to install it. */
export function printService(context: Context, options: ServiceOptions): void {
  const { kind, path, file } = buildService(context, options);
  context.print({ ok: true, kind, path, file }, () => file.trimEnd().split('\n'));
}
