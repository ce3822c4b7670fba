/** Makes a trigger of a service's description. */

import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { timingSafeEqual } from '../../credentials/timing-safe-equal.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import type { HookAnswer, ServiceHook } from '../../node-api/service-hook.ts';
import { commaList } from '../shared/comma-list.ts';
import { callWithoutItem, credentialsOf, unsupportedIssue } from './access.ts';
import { downloadAttachments } from './attachments.ts';
import { isGenuine } from './check-call.ts';
import type { RequestTemplate, TriggerDescription } from './description.ts';
import { parametersOf } from './fields.ts';
import { fill } from './fill.ts';
import { receiveMetaEvents } from './receive-meta-events.ts';
import { receiveSlackEvent } from './receive-slack-event.ts';
import { receiveTypeformAnswers } from './receive-typeform-answers.ts';
import { answersBefore, ask } from './run-operation.ts';
import { scopeOf } from './scope.ts';
import { describeTemplate, sendTo } from './send-template.ts';
import type { ServiceCall } from './service-call.ts';

const receivers: Record<string, (call: ServiceCall, body: unknown) => Promise<HookAnswer>> = {
  meta: receiveMetaEvents,
  slack: receiveSlackEvent,
  typeform: receiveTypeformAnswers,
};

export function triggerNode(service: TriggerDescription): NodeType {
  const { name, label, description, versions, fields = {}, unsupported } = service;
  const type: NodeType = {
    name,
    label,
    description,
    group: 'trigger',
    versions,
    inputs: 0,
    outputs: ['main'],
    credentials: credentialsOf(service),
    parameters: parametersOf(fields),
    issues: (settings) => {
      const issue = unsupportedIssue(label, unsupported, settings);
      return issue === undefined ? [] : [issue];
    },
    // A call supplies the item. A run that starts in the editor has an empty one.
    execute: async (context) => [context.items()],
  };
  return { ...type, hook: hookOf(service, type) };
}

function hookOf(service: TriggerDescription, type: NodeType): ServiceHook {
  const callOf = (context: NodeContext) => callWithoutItem(service, type, context);
  const { exists, check, attachments, challenge } = service;
  const logIn = async (call: ServiceCall, values: JsonObject): Promise<JsonObject> => ({
    ...values,
    credential: call.credential,
    step: await answersBefore(call),
  });
  const withFiles = (answer: HookAnswer): HookAnswer => {
    if (answer.kind !== 'item' || !attachments) return answer;
    const attach = async (context: NodeContext) => {
      const call = await callOf(context);
      return downloadAttachments(call, attachments, { credential: call.credential, found: answer.json });
    };
    return { ...answer, attach };
  };
  const secretOf = async (context: NodeContext, own: string): Promise<string> => {
    if (check.secret === undefined) return own;
    const call = await callOf(context);
    return String((await fill(check.secret, scopeOf(call, { credential: call.credential }))) ?? '');
  };
  return {
    async register(context, hook) {
      const call = await callOf(context);
      if ((await secretOf(context, hook.secret)) === '')
        throw new NodeError(
          `${service.label}: the credential has no secret, so nobody could check who calls`,
        );
      const values = await logIn(call, { hook });
      const registered = await stepsOf(call, service.register, values);
      const stored = await fill(service.store ?? {}, scopeOf(call, registered));
      return isObject(stored) ? stored : {};
    },
    async remove(context, stored) {
      const call = await callOf(context);
      if (!service.remove) return;
      const scope = scopeOf(call, await logIn(call, { stored }));
      await sendTo(call, await describeTemplate(call, service.remove, scope));
    },
    ...(exists && {
      async isRegistered(context: NodeContext, stored: JsonObject, hook: { url: string }) {
        const call = await callOf(context);
        try {
          const scope = scopeOf(call, await logIn(call, { hook, stored }));
          const { body } = await sendTo(call, await describeTemplate(call, exists, scope));
          return !exists.is || getPath(body, exists.is.path) === (await fill(exists.is.value, scope));
        } catch (error) {
          if (error instanceof NodeError && error.httpCode === '404') return false;
          throw error;
        }
      },
    }),
    ...(challenge && { methods: ['GET', 'POST'] }),
    async receive(context, call) {
      if (challenge && call.query[challenge.answer] !== undefined) {
        const isKnown = timingSafeEqual(String(call.query[challenge.secret] ?? ''), call.secret);
        return isKnown
          ? { kind: 'confirmed', text: String(call.query[challenge.answer]) }
          : { kind: 'refused' };
      }
      if (!(await isGenuine(call, service.check, await secretOf(context, call.secret), context.now())))
        return { kind: 'refused' };
      const { ignores, only = [], receive } = service;
      if (ignores && call.headers.get(ignores.header) === ignores.is) return { kind: 'ignored' };
      const body = readBody(call.bytes);
      if (receive) return withFiles(await receivers[receive]!(await callOf(context), body));
      for (const { parameter, paths } of only) {
        const allowed = commaList(await context.parameter(parameter, 0, ''));
        const value = paths.map((path) => getPath(body, path)).find((found) => found !== undefined);
        if (allowed.length > 0 && !allowed.includes(String(value))) return { kind: 'ignored' };
      }
      if (service.item === 'body') return withFiles({ kind: 'item', json: isObject(body) ? body : { body } });
      const { query, headers } = call;
      return { kind: 'item', json: { body, headers: Object.fromEntries(headers), query } };
    },
  };
}

/** Sends requests in turn. @returns `values` with their answers as `step` */
async function stepsOf(
  call: ServiceCall,
  templates: Record<string, RequestTemplate> = {},
  values: JsonObject,
): Promise<JsonObject> {
  const step: JsonObject = { ...(isObject(values.step) && values.step) };
  const added = { ...values, step };
  for (const [name, template] of Object.entries(templates)) {
    step[name] = await ask(call, template, scopeOf(call, added));
  }
  return added;
}

function readBody(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
