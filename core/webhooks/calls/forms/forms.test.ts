import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject, Workflow } from '#core/workflow-format';
import { openWebhookServer, type TestWebhooks } from '#test/support/webhooks/webhook-server.ts';
import { setFields, workflowOf } from '#test/support/webhooks/workflow-builder.ts';

const FIELDS = {
  values: [
    { fieldLabel: 'Name', requiredField: true },
    { fieldLabel: 'Age', fieldType: 'number' },
    {
      fieldLabel: 'Boxes',
      fieldType: 'checkbox',
      fieldOptions: { values: [{ option: 'b1' }, { option: 'b2' }] },
    },
    { fieldLabel: 'Doc', fieldType: 'file', multipleFiles: false },
    { fieldType: 'hiddenField', fieldName: 'hid', fieldValue: 'h1' },
  ],
};
const trigger = (more: JsonObject = {}, options: JsonObject = {}) => ({
  type: 'formTrigger',
  typeVersion: 2.6,
  parameters: { formTitle: 'My <form>', formFields: FIELDS, options: { path: 'p', ...options }, ...more },
});

async function open(workflow: Workflow): Promise<TestWebhooks> {
  const server = await openWebhookServer();
  onTestFinished(() => server.close());
  await server.publish(workflow);
  return server;
}

function formOf(values: Record<string, string | File>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.append(name, value);
  return form;
}

const send = (server: TestWebhooks, path: string, values: Record<string, string | File>, headers = {}) =>
  server.call('POST', path, { body: formOf(values), headers });

async function outputOf(server: TestWebhooks, node: string): Promise<unknown> {
  const [summary] = await server.engine.executions.list();
  const detail = (await server.engine.executions.get(summary!.id))?.detail;
  return detail?.data.resultData.runData[node]
    ?.at(-1)
    ?.data?.main?.[0]?.map(({ json, binary }) => (binary ? { ...json, files: Object.keys(binary) } : json));
}

it('shows the page with values of the address, and escapes them', async () => {
  const server = await open(workflowOf({ Form: trigger() }, []));
  const response = await server.call('GET', '/form/p?Name="><script>&hid=x');
  const html = await response.text();
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(response.headers.get('content-security-policy')).toMatch(/^sandbox /);
  expect(html).toContain('<title>My &#60;form&#62;</title>');
  expect(html).toContain('id="field-0" name="field-0" required value="&#34;&#62;&#60;script&#62;"');
  expect(html).toContain('<input type="hidden" id="field-4" name="field-4" value="x">');
  expect(await server.call('HEAD', '/form/p')).toMatchObject({ status: 200 });
});

it('starts the workflow with the values', async () => {
  const server = await open(workflowOf({ Form: trigger(), Out: setFields({ x: 1 }) }, ['Form -> Out']));
  const doc = new File(['abc'], 'a.txt', { type: 'text/plain' });
  const values = {
    'field-0': ' Ann ',
    'field-1': '5',
    'field-2': '["b1","b2"]',
    'field-3': doc,
    'field-4': 'h1',
  };
  const response = await send(server, '/form/p', values);
  expect([response.status, await response.json()]).toEqual([200, { status: 200 }]);
  await server.engine.executions.settle(AbortSignal.timeout(2000));
  expect(await outputOf(server, 'Form')).toEqual([
    {
      Name: 'Ann',
      Age: 5,
      Boxes: ['b1', 'b2'],
      Doc: { filename: 'a.txt', mimetype: 'text/plain', size: 3 },
      hid: 'h1',
      submittedAt: expect.any(String),
      formMode: 'production',
      files: ['Doc'],
    },
  ]);
});

it('refuses bodies that are no form, and paths and methods without one', async () => {
  const server = await open(workflowOf({ Form: trigger() }, []));
  const wrong = await server.exchange('POST', '/form/p', { json: {} });
  expect(wrong).toEqual([415, { code: 415, message: 'Expected multipart/form-data' }]);
  const broken = { body: 'x', headers: { 'content-type': 'multipart/form-data; boundary=b' } };
  expect((await server.exchange('POST', '/form/p', broken))[0]).toBe(400);
  expect(await server.exchange('PUT', '/form/p')).toMatchObject([404, { code: 404 }]);
  expect(await server.exchange('GET', '/form/none')).toEqual([404, expect.stringContaining('not available')]);
  expect((await server.exchange('GET', '/webhook/p'))[0]).toBe(404);
});

it('answers at the end of the workflow if the trigger says so', async () => {
  const nodes = { Form: trigger({ responseMode: 'lastNode' }), Out: setFields({ x: 1 }) };
  const server = await open(workflowOf(nodes, ['Form -> Out']));
  expect(await server.exchange('POST', '/form/p', { body: formOf({}) })).toEqual([200, '']);
  const failing = { ...nodes, Out: { type: 'stopAndError', parameters: { errorMessage: 'no' } } };
  const other = await open(workflowOf(failing, ['Form -> Out']));
  expect(await other.exchange('POST', '/form/p', { body: formOf({}) })).toEqual([
    500,
    { message: 'Error in workflow' },
  ]);
});

it('has Basic Auth, by which the page gets a token for its script', async () => {
  const server = await openWebhookServer();
  onTestFinished(() => server.close());
  const credential = await server.credentials.create('login', 'httpBasicAuth', { user: 'u', password: 'p' });
  const form = {
    ...trigger({ authentication: 'basicAuth' }),
    credentials: { httpBasicAuth: { id: credential.id, name: 'login' } },
  };
  await server.publish(workflowOf({ Form: form }, []));
  const refused = await server.call('GET', '/form/p');
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    'Basic realm="Enter credentials"',
  ]);
  const headers = { authorization: `Basic ${btoa('u:p')}` };
  const html = await (await server.call('GET', '/form/p', { headers })).text();
  const token = /"token":"([0-9a-f]{64})"/.exec(html)![1]!;
  expect((await send(server, '/form/p', {})).status).toBe(401);
  expect((await send(server, '/form/p', {}, { 'x-auth-token': 'wrong' })).status).toBe(403);
  expect((await send(server, '/form/p', {}, { 'x-auth-token': token })).status).toBe(200);
});

it('refuses bots and strangers', async () => {
  const server = await open(workflowOf({ Form: trigger({}, { ignoreBots: true }) }, []));
  const bot = await server.call('GET', '/form/p', { headers: { 'user-agent': 'Googlebot/2.1' } });
  expect([bot.status, await bot.text()]).toEqual([401, '']);
  const listed = await open(workflowOf({ Form: trigger({}, { ipWhitelist: '10.0.0.1' }) }, []));
  expect((await listed.exchange('GET', '/form/p'))[0]).toBe(403);
});

const PAGES = workflowOf(
  {
    Form: trigger(),
    More: {
      type: 'form',
      typeVersion: 2.5,
      parameters: {
        formFields: { values: [{ fieldLabel: '=City of {{ $json.Name }}' }] },
        options: { formTitle: 'More', buttonLabel: 'Go', customCss: 'h1 { color: red; }</style><b>' },
      },
    },
    End: {
      type: 'form',
      typeVersion: 2.5,
      parameters: {
        operation: 'completion',
        completionTitle: 'Done',
        completionMessage: '=Bye <b onclick="x()">{{ $("Form").item.json.Name }}</b><script>1</script>',
      },
    },
  },
  ['Form -> More', 'More -> End'],
);

it('leads from page to page, and to the end', async () => {
  const server = await open(PAGES);
  const first = await server.exchange('POST', '/form/p', { body: formOf({ 'field-0': 'Ann' }) });
  const { pathname, search } = new URL((first[1] as { formWaitingUrl: string }).formWaitingUrl);
  const address = pathname + search;
  const html = (await server.exchange('GET', address))[1] as string;
  expect(html).toMatch(
    /<title>More<\/title>[\s\S]*h1 \{ color: red; \}[\s\S]*City of Ann[\s\S]*>Go<\/button>/,
  );
  expect(html).not.toContain('</style><b>');
  const status = `${pathname}/n8n-execution-status${search}`;
  expect(await server.exchange('GET', status)).toEqual([200, 'form-waiting']);
  expect(await server.exchange('POST', address, { body: formOf({ 'field-0': 'Oslo' }) })).toEqual([
    200,
    { status: 200 },
  ]);
  const end = (await server.exchange('GET', address))[1] as string;
  expect(end).toContain('<h1>Done</h1><p>Bye <b>Ann</b></p>');
  expect((await server.exchange('POST', address, { body: formOf({}) }))[0]).toBe(409);
  expect(await outputOf(server, 'More')).toMatchObject([{ 'City of Ann': 'Oslo' }]);
});

it('serves browsers without scripts with pages and redirects', async () => {
  const server = await open(PAGES);
  const headers = { accept: 'text/html' };
  const first = await send(server, '/form/p', { 'field-0': 'Ann' }, headers);
  expect(first.status).toBe(303);
  const { pathname, search } = new URL(first.headers.get('location')!, 'http://a.test/form/p');
  const address = pathname + search;
  const second = await send(server, address, { 'field-0': 'Oslo' }, headers);
  expect([second.status, second.headers.get('location')]).toEqual([303, address]);
  const single = await open(workflowOf({ Form: trigger() }, []));
  const page = await send(single, '/form/p', {}, headers);
  expect(await page.text()).toContain('Your response has been recorded');
});

it('needs the signature, and an execution that waits for a form', async () => {
  const server = await open(PAGES);
  const first = await server.exchange('POST', '/form/p', { body: formOf({}) });
  const { pathname, search } = new URL((first[1] as { formWaitingUrl: string }).formWaitingUrl);
  expect(await server.exchange('GET', pathname)).toEqual([401, { error: 'Invalid token' }]);
  expect((await server.exchange('GET', `/form-waiting/99999${search}`))[0]).toBe(404);
  const webhook = pathname.replace('form-waiting', 'webhook-waiting') + search;
  expect((await server.exchange('GET', webhook))[0]).toBe(404);
});

it('a wait for a form resumes with what was sent', async () => {
  const wait = {
    type: 'wait',
    typeVersion: 1.1,
    parameters: { resume: 'form', formTitle: 'W', formFields: { values: [{ fieldLabel: 'City' }] } },
  };
  const server = await open(
    workflowOf({ Form: trigger(), Wait: wait, Out: setFields({}) }, ['Form -> Wait', 'Wait -> Out']),
  );
  const first = await server.exchange('POST', '/form/p', { body: formOf({}) });
  const { pathname, search } = new URL((first[1] as { formWaitingUrl: string }).formWaitingUrl);
  expect((await server.exchange('GET', pathname + search))[1]).toContain('<title>W</title>');
  await send(server, pathname + search, { 'field-0': 'Oslo' });
  expect((await server.exchange('GET', pathname + search))[1]).toContain('Form Submitted');
  expect(await outputOf(server, 'Out')).toMatchObject([{ City: 'Oslo' }]);
});

it('a test form takes one submission', async () => {
  const server = await openWebhookServer();
  onTestFinished(() => server.close());
  const workflow = await server.engine.workflows.put(workflowOf({ Form: trigger() }, [], { active: false }));
  const [address] = await server.listening.listen(workflow);
  expect(address?.path).toBe('/form-test/p');
  expect((await server.exchange('GET', '/form-test/p'))[0]).toBe(200);
  expect((await send(server, '/form-test/p', {})).status).toBe(200);
  expect((await server.exchange('GET', '/form-test/p'))[0]).toBe(404);
  await server.engine.executions.settle(AbortSignal.timeout(2000));
  expect(await outputOf(server, 'Form')).toMatchObject([{ formMode: 'test' }]);
});
