import { findTurnPlace } from '../facts/find-turn-place.js';
import type { RouteTools } from './route-tools.js';

/** Leads from a turn to its card on the page of its issue. */
export function addTurnRedirect({ app, reader }: RouteTools): void {
  app.get('/turns/:turnKey', (request, response, next) => {
    const { turnKey } = request.params;
    const place = reader.readState((facts) => findTurnPlace(facts, turnKey));
    if (place === undefined) return next();
    response.redirect(302, `/issues/${place.repo}/${place.issue}#turn-${turnKey}`);
  });
}
