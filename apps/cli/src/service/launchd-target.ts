/** The name under which launchd knows the service of this user. */
export const LAUNCHD_DOMAIN = `gui/${process.getuid?.() ?? 0}`;
export const LAUNCHD_TARGET = `${LAUNCHD_DOMAIN}/org.mergexo.up`;
