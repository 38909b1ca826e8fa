/** Used with `node --import`. Loads the built packages with the deliberate bug that the environment names. */
import { register } from 'node:module';
import { MUTANTS } from './list-mutants.js';

const name = process.env['SEARCH_MUTANT'];
const mutant = MUTANTS.find((other) => other.name === name);
if (mutant === undefined) throw new RangeError(`there is no mutant ${name}`);
register('../../chaos/feedback-mutate-hooks.js', { parentURL: import.meta.url, data: mutant.edits });
