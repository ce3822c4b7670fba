/**
 * Schemathesis against the three ports, by their OpenAPI documents. `npm run schemathesis -- [API] [--examples N]
 * [--seed N]`. Needs `npm run build`, and Schemathesis: `pip install schemathesis` (or `--program PATH`).
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import type { ApiName } from '#core/http';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';
import { workflowControl } from '../support/webhooks/workflow-control.ts';

const APIS: ApiName[] = ['local-models', 'image-workflows', 'webhooks'];
const EXCLUDED = [
  // Operations that ask other servers, and a stream without an end.
  ...['/api/pull', '/api/push', '/api/create', '/api/v1/events'],
  // These answer 500 and 503 as Ollama does without an account.
  ...['/api/me', '/api/signout', '/api/user/keys/{encodedKey}'],
];
/** Seconds that an answer may take. */
const TIMEOUT = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    program: { type: 'string', default: 'schemathesis' },
  },
});
const unknown = positionals.filter((name) => !APIS.includes(name as ApiName));
if (unknown.length > 0) {
  console.error(`unknown API ${unknown.join(', ')}: choose among ${APIS.join(', ')}`);
  process.exit(2);
}

const home = await makeHome([]);
const shim = await startShim(home);
let failed = false;
try {
  const { apiKey } = await (await workflowControl(home)).json('POST', '/keys', { label: 'fuzz' });
  for (const api of positionals.length > 0 ? (positionals as ApiName[]) : APIS)
    failed = (await fuzz(api, shim, apiKey)) !== 0 || failed;
  const alive = await fetch(`http://127.0.0.1:${shim.ports['local-models']}/api/version`);
  if (!alive.ok || shim.process.exitCode !== null) failed = true;
} finally {
  await shim.stop();
  await removeHome(home);
}
process.exit(failed ? 1 : 0);

/** The exit code of Schemathesis. */
function fuzz(api: ApiName, { ports }: RunningShim, key: string): Promise<number> {
  const address = `http://127.0.0.1:${ports[api]}`;
  const args = [
    'run',
    `${address}/openapi.json`,
    ...['--checks', 'not_a_server_error', '--phases', 'coverage,fuzzing', '--no-color'],
    ...['--max-examples', values.examples, '--seed', values.seed, '--request-timeout', String(TIMEOUT)],
    ...[
      '--header',
      `X-N8N-API-KEY: ${key}`,
      '--generation-database',
      'none',
      '--suppress-health-check',
      'all',
    ],
    ...['--continue-on-failure', '--warnings', 'off'],
    ...EXCLUDED.flatMap((path) => ['--exclude-path', path]),
  ];
  const child = spawn(values.program, args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', () =>
      reject(new Error('Schemathesis was not found: pip install schemathesis, or use --program')),
    );
    child.once('close', (code) => resolve(code ?? 1));
  });
}
