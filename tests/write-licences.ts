import { writeFileSync } from 'node:fs';
import { listLicences, renderLicences } from './licences.js';

// After changing dependencies, run `npm run licences`.
const root = new URL('../../', import.meta.url);
writeFileSync(
  new URL('THIRD_PARTY_LICENSES.md', root),
  renderLicences(listLicences(new URL('package-lock.json', root))),
);
