import { chooseNetwork, type Model, type NetworkMode } from './choose-network.js';
import { readHostRule } from './host-rule.js';

const BWRAP = { kind: 'bwrap', program: '/usr/bin/bwrap' } as const;
const OWN = { kind: 'own' } as const;
const NONE = { kind: 'none' } as const;
const RULES = [readHostRule('model.example:443')];
const KNOWN: Model = { kind: 'known', rules: RULES };
const OTHER: Model = { kind: 'other', rules: RULES, reason: 'MergeXO does not know the hosts' };
const UNKNOWN: Model = { kind: 'unknown' };

const choose = (network: NetworkMode | undefined, about: Partial<Parameters<typeof chooseNetwork>[1]>) =>
  chooseNetwork(
    { network, allowedHosts: ['registry.example'] },
    { sandbox: BWRAP, model: KNOWN, proxyVariable: undefined, ...about },
  );

describe('chooseNetwork', () => {
  it('allows only the model’s hosts by default, and the listed hosts if configured', () => {
    expect(choose(undefined, {})).toEqual({
      kind: 'chosen',
      network: RULES,
      description: 'network: model-only (model.example)',
    });
    expect(choose('allow-list', {})).toMatchObject({
      network: [...RULES, readHostRule('registry.example')],
      description: 'network: allow-list (model.example, registry.example)',
    });
    expect(choose('allow-list', { model: UNKNOWN })).toMatchObject({
      network: [readHostRule('registry.example')],
    });
    expect(choose('all', {})).toMatchObject({ network: 'all', description: 'network: all' });
  });

  const obstacles: [string, Partial<Parameters<typeof chooseNetwork>[1]>, string][] = [
    ['Codex’s own sandbox', { sandbox: OWN }, 'only bubblewrap'],
    ['no sandbox', { sandbox: NONE }, 'only bubblewrap'],
    ['the operator’s own proxy', { proxyVariable: 'HTTPS_PROXY' }, 'HTTPS_PROXY'],
    ['a provider with unknown hosts', { model: OTHER }, 'does not know the hosts'],
  ];
  it.each(obstacles)('with %s, shares the network by default and explains why', (_what, about, reason) => {
    const chosen = choose(undefined, about);
    expect(chosen).toMatchObject({ network: 'all', description: expect.stringContaining(reason) });
  });

  it.each(obstacles)('with %s, refuses to weaken a policy that the operator set', (_what, about, reason) => {
    expect(choose('model-only', about)).toEqual({
      kind: 'refused',
      reason: expect.stringMatching(new RegExp(`network = "model-only".*${reason}.*network = "all"`)),
    });
  });

  it('shares the network with a program whose model is unknown, unless a policy is set', () => {
    expect(choose(undefined, { model: UNKNOWN })).toMatchObject({ description: 'network: all' });
    expect(choose('model-only', { model: UNKNOWN })).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('use "allow-list"'),
    });
  });
});
