// Import rules: which room may import which (scripts/lint/rooms.json), through which file, and no import cycles.
// `npm run lint` runs it; docs/architecture.md shows the table and the reasons.
const rooms = require('./scripts/lint/rooms.json');

const names = Object.keys(rooms);
const below = (list) => `^(${list.join('|')})/`;
/** Tests may import any file. */
const TESTS = '\\.test\\.ts$|^(test|bench|scripts)/';

const allowed = names.map((room) => ({
  name: `imports-of-${room.replace('/', '-')}`,
  comment: `scripts/lint/rooms.json lists the rooms that ${room} may import.`,
  severity: 'error',
  from: { path: `^${room}/`, pathNot: TESTS },
  to: { path: below([...names, 'test', 'bench', 'scripts']), pathNot: below([room, ...rooms[room]]) },
}));

const faces = names.map((room) => ({
  name: `face-of-${room.replace('/', '-')}`,
  comment: `Other rooms enter ${room} by index.ts; by lazy.ts with import(), so that its code is loaded when it is needed; the page starts server.worker.ts.`,
  severity: 'error',
  from: { path: below(names.filter((other) => other !== room)), pathNot: TESTS },
  to: { path: `^${room}/`, pathNot: `^${room}/(index|lazy|server\\.worker)\\.ts$` },
}));

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...allowed,
    ...faces,
    {
      name: 'lazy-faces',
      comment: 'A static import would load lazy.ts at once.',
      severity: 'error',
      from: { pathNot: TESTS },
      to: { path: '/lazy\\.ts$', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'no-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '[?]url$|_types/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules|(^|/)dist/|^examples/|^\\.cache/' },
    parser: 'swc',
    // Imports of types count too, because a cycle of types also makes code hard to read.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json'],
    },
  },
};
