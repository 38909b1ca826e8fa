export { sanitisePackage } from './sanitise-package.js';
export { sanitiseLine } from './sanitise-text.js';
