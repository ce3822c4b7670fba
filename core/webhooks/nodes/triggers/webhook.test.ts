import { describe, expect, it } from 'vitest';
import { type JsonObject, nodeSettings } from '#core/workflow-format';
import { parameterContext } from '#test/support/webhooks/parameter-context.ts';
import { webhook } from './webhook.ts';

const settings = (parameters: JsonObject) =>
  nodeSettings(webhook, parameterContext(webhook, parameters).node);

describe('outputs', () => {
  it.each([
    [{}, ['main']],
    [{ httpMethod: 'POST' }, ['main']],
    [{ multipleMethods: true }, ['GET', 'POST']],
    [{ multipleMethods: true, httpMethod: ['PUT'] }, ['PUT']],
    [{ multipleMethods: true, httpMethod: [] }, []],
    [{ multipleMethods: true, httpMethod: 'GET' }, ['GET']],
    [{ multipleMethods: 'true', httpMethod: 'GET' }, ['main']],
  ])('of %j are %j', (parameters, outputs) => {
    expect((webhook.outputs as (node: object) => string[])(settings(parameters))).toEqual(outputs);
  });
});

describe('issues', () => {
  const method = (name: string) => `The HTTP method "${name}" is not supported`;
  const authentication = (name: string) =>
    `The authentication "${name}" is not supported here: use Basic, Header or JWT Auth`;

  it.each([
    [{}, []],
    [{ httpMethod: 'HEAD', authentication: 'jwtAuth' }, []],
    [{ httpMethod: 'get' }, [method('get')]],
    [{ httpMethod: 'TRACE', authentication: 'oAuth2' }, [authentication('oAuth2'), method('TRACE')]],
    [{ authentication: 'toString' }, [authentication('toString')]],
    [{ multipleMethods: true, httpMethod: ['GET', '', '={{ 1 }}'] }, [method(''), method('={{ 1 }}')]],
    [{ multipleMethods: false, httpMethod: ['GET', 'PUT'] }, [method('["GET","PUT"]')]],
  ])('of %j are %j', (parameters, issues) => expect(webhook.issues!(settings(parameters))).toEqual(issues));
});

it('passes on the items of the call', async () => {
  const items = [{ json: { body: 1 } }];
  expect(await webhook.execute(parameterContext(webhook, {}, { more: { items: () => items } }))).toEqual([
    items,
  ]);
});
