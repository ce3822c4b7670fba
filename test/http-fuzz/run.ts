/**
 * Schemathesis against the three ports, by their OpenAPI documents. `npm run schemathesis -- [API] [--examples N]
 * [--seed N] [--timeout SECONDS] [--report FILE]`. Needs `npm run build` and Python with pip, which installs Schemathesis once.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ApiName } from '#core/http';
import { makeHome, removeHome } from '../support/processes/node-home.ts';
import { pythonPackage } from '../support/processes/python-package.ts';
import { type RunningShim, startShim } from '../support/processes/shim.ts';
import { workflowControl } from '../support/webhooks/workflow-control.ts';

const APIS: ApiName[] = ['local-models', 'image-workflows', 'webhooks'];
const EXCLUDED = [
  // Operations that ask other servers, and a stream without an end.
  ...['/api/pull', '/api/push', '/api/create', '/api/v1/events'],
  // These answer 500 and 503 as Ollama does without an account.
  ...['/api/me', '/api/signout', '/api/user/keys/{encodedKey}'],
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    /** Seconds that an answer may take. A computer with other work needs more. */
    timeout: { type: 'string', default: '5' },
    report: { type: 'string' },
  },
});
const unknown = positionals.filter((name) => !APIS.includes(name as ApiName));
if (unknown.length > 0) {
  console.error(`unknown API ${unknown.join(', ')}: choose among ${APIS.join(', ')}`);
  process.exit(2);
}

const path = await pythonPackage('schemathesis==4.32.5');
const home = await makeHome([]);
const shim = await startShim(home);
const reasons: string[] = [];
const chosen = positionals.length > 0 ? (positionals as ApiName[]) : APIS;
try {
  const { apiKey } = await (await workflowControl(home)).json('POST', '/keys', { label: 'fuzz' });
  for (const api of chosen) {
    const code = await fuzz(api, shim, apiKey);
    if (code !== 0) reasons.push(`${api}: Schemathesis ended with ${code}`);
  }
  const alive = await fetch(`http://127.0.0.1:${shim.ports['local-models']}/api/version`);
  if (!alive.ok || shim.process.exitCode !== null) reasons.push('the server answers no more');
} finally {
  await shim.stop();
  await removeHome(home);
}
if (values.report) {
  const failed = reasons.length;
  writeFileSync(values.report, JSON.stringify({ passed: chosen.length + 1 - failed, failed, reasons }));
}
process.exit(reasons.length > 0 ? 1 : 0);

/** The exit code of Schemathesis. */
function fuzz(api: ApiName, { ports }: RunningShim, key: string): Promise<number> {
  const address = `http://127.0.0.1:${ports[api]}`;
  const args = [
    'run',
    `${address}/openapi.json`,
    ...['--checks', 'not_a_server_error', '--phases', 'coverage,fuzzing', '--no-color'],
    ...['--max-examples', values.examples, '--seed', values.seed, '--request-timeout', values.timeout],
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
  const env = { ...process.env, PYTHONPATH: path };
  const child = spawn('python3', ['-m', 'schemathesis.cli', ...args], { stdio: 'inherit', env });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}
