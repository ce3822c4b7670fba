import { afterEach, beforeEach, expect, it } from 'vitest';
import { openControl, smallWorkflow, type TestControl } from '#test/support/webhooks/control.ts';

let control: TestControl;
beforeEach(async () => {
  control = await openControl();
});
afterEach(() => control.close());

/** Values that a field should not have, whatever its type. */
const WRONG: unknown[] = [
  null,
  true,
  -1,
  1e308,
  '',
  'x'.repeat(300),
  [],
  [[]],
  {},
  { toString: 1 },
  { toString: 1, valueOf: 1 },
  '={{ $json',
];

/** The paths of all values in `value`, and of fields that may be there besides. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return path.length === 0 ? [] : [path];
  const inner = Object.entries(value).flatMap(([name, child]) => pathsOf(child, [...path, name]));
  return path.length === 0 ? inner : [path, ...inner];
}

function withValue(source: object, path: string[], value: unknown): object {
  const copy = structuredClone(source);
  // biome-ignore lint/suspicious/noExplicitAny: any field of any object
  let parent: any = copy;
  for (const name of path.slice(0, -1)) parent = parent[name] ??= {};
  parent[path.at(-1)!] = value;
  return copy;
}

const OPTIONAL = [
  ...['pinData', 'staticData', 'meta', 'description', 'nodeGroups'].map((name) => [name]),
  ...['credentials', 'webhookId', 'id', 'disabled', 'notes', 'onError', 'retryOnFail', 'maxTries'].map(
    (name) => ['nodes', '1', name],
  ),
  ...['timezone', 'executionTimeout', 'errorWorkflow', 'callerPolicy', 'saveManualExecutions'].map((name) => [
    'settings',
    name,
  ]),
];

it('wrong types in a workflow are stored as they are, or refused: nothing is an error of the server', async () => {
  const failures: string[] = [];
  for (const path of [...pathsOf(smallWorkflow()), ...OPTIONAL]) {
    for (const value of WRONG) {
      const about = `${path.join('.')} = ${JSON.stringify(value)}`;
      const stored = await control.ask('POST', '/workflows', {
        body: withValue(smallWorkflow(), path, value),
      });
      if (stored.status >= 500) failures.push(`create: ${about}: ${await stored.text()}`);
      if (stored.status !== 200) continue;
      const { id } = await stored.json();
      for (const [method, action] of [
        ['POST', '/activate'],
        ['GET', ''],
        ['POST', '/deactivate'],
        ['DELETE', ''],
      ] as const) {
        const response = await control.ask(method, `/workflows/${id}${action}`);
        if (response.status >= 500) failures.push(`${method} ${action}: ${about}: ${await response.text()}`);
      }
    }
  }
  expect(failures).toEqual([]);
});
