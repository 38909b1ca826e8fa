// Gives each suite's code quick access to the global names that it uses most.
//
// Node looks up a global name inside a vm context with a slow call into C++, each time. Declared once by a script of
// the context, V8 finds the name by itself: the poller's tests take a third less time. Names that tests or jest's fake
// timers replace, such as Date and setTimeout, must not stand here.
const { runInContext } = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const NAMES = [
  ...['Object', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'BigInt', 'Function', 'RegExp', 'JSON', 'Math'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'Promise', 'Reflect', 'Proxy', 'Error', 'TypeError', 'RangeError'],
  ...['Buffer', 'Uint8Array', 'ArrayBuffer', 'URL', 'URLSearchParams', 'AbortController', 'AbortSignal', 'process'],
];

module.exports = class QuickEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    runInContext(`const { ${NAMES.join(', ')} } = globalThis;`, this.getVmContext());
  }
};
