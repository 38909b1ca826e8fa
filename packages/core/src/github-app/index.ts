export {
  type AccessLevel,
  APP_EVENTS,
  APP_PERMISSIONS,
  type AppPermissions,
  findMissingEvents,
  findMissingPermissions,
  type MissingPermission,
} from './app-access.js';
export { type AppOwner, installPage, listAppsPage, newAppPage, permissionsPage } from './app-pages.js';
export { type AppPlan, buildManifest } from './build-manifest.js';
