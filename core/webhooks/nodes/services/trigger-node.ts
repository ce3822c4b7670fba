/** Makes a trigger of a service's description. */

import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { timingSafeEqual } from '../../credentials/timing-safe-equal.ts';
import type { NodeContext } from '../../node-api/node-context.ts';
import { NodeError } from '../../node-api/node-error.ts';
import type { NodeType } from '../../node-api/node-type.ts';
import type { HookAnswer, ServiceHook } from '../../node-api/service-hook.ts';
import { commaList } from '../shared/comma-list.ts';
import { objectList } from '../shared/object-list.ts';
import { callWithoutItem, credentialsOf, unsupportedIssue } from './access.ts';
import { downloadAttachments } from './attachments.ts';
import { isGenuine } from './check-call.ts';
import type { RequestTemplate, TriggerDescription } from './description.ts';
import { parametersOf } from './fields.ts';
import { fill, type Scope } from './fill.ts';
import { hubspotTopics } from './hubspot-topics.ts';
import { receiveHubspotEvents } from './receive-hubspot-events.ts';
import { receiveMetaEvents } from './receive-meta-events.ts';
import { receiveSlackEvent } from './receive-slack-event.ts';
import { receiveTeamsEvents } from './receive-teams-events.ts';
import { receiveTypeformAnswers } from './receive-typeform-answers.ts';
import { answersBefore, ask } from './run-operation.ts';
import { scopeOf } from './scope.ts';
import { describeTemplate, sendTo } from './send-template.ts';
import type { ServiceCall } from './service-call.ts';
import { teamsTopics } from './teams-topics.ts';

const receivers: Record<string, (call: ServiceCall, body: unknown) => Promise<HookAnswer>> = {
  hubspot: receiveHubspotEvents,
  meta: receiveMetaEvents,
  slack: receiveSlackEvent,
  teams: receiveTeamsEvents,
  typeform: receiveTypeformAnswers,
};

const topicLists: Record<string, (call: ServiceCall) => Promise<JsonObject[]>> = {
  hubspot: hubspotTopics,
  teams: teamsTopics,
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
  const registerOne = async (call: ServiceCall, values: JsonObject): Promise<JsonObject> => {
    const registered = await stepsOf(call, service.register, values);
    const stored = await fill(service.store ?? {}, scopeOf(call, registered));
    return isObject(stored) ? stored : {};
  };
  const sendRemoval = async (
    call: ServiceCall,
    template: RequestTemplate | undefined,
    stored: JsonObject,
  ): Promise<void> => {
    if (template) await sendUnlessMissing(call, template, scopeOf(call, await logIn(call, { stored })));
  };
  const removeAll = async (call: ServiceCall, topics: JsonObject[]): Promise<void> => {
    for (const each of topics) await sendRemoval(call, service.remove, each);
    await sendRemoval(call, service.cleanUp, {});
  };
  const stillExists = async (
    call: ServiceCall,
    request: NonNullable<typeof exists>,
    values: JsonObject,
  ): Promise<boolean> => {
    const scope = scopeOf(call, await logIn(call, values));
    const answer = await sendUnlessMissing(call, request, scope);
    if (!answer || !request.is) return answer !== undefined;
    return getPath(answer.body, request.is.path) === (await fill(request.is.value, scope));
  };
  return {
    async register(context, hook) {
      const call = await callOf(context);
      if ((await secretOf(context, hook.secret)) === '')
        throw new NodeError(
          `${service.label}: the credential has no secret, so nobody could check who calls`,
        );
      const values = await logIn(call, { hook });
      if (!service.topics) return registerOne(call, values);
      const requested = await topicLists[service.topics]!(call);
      const topics: JsonObject[] = [];
      try {
        await stepsOf(call, service.prepare, values);
        for (const topic of requested) topics.push(await registerOne(call, { ...values, topic }));
      } catch (error) {
        // The service would report the others to a workflow that is not published.
        await removeAll(call, topics).catch(() => {});
        throw error;
      }
      return { topics };
    },
    async remove(context, stored) {
      const call = await callOf(context);
      await removeAll(call, topicsOf(stored));
    },
    ...(exists && {
      async isRegistered(context: NodeContext, stored: JsonObject, hook: { url: string }) {
        const call = await callOf(context);
        const topics = topicsOf(stored);
        for (const each of topics) {
          if (await stillExists(call, exists, { hook, stored: each })) continue;
          // All are registered again: the ones that are left would report everything twice.
          if (topics.length > 1) await removeAll(call, topics);
          return false;
        }
        return true;
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

/** The stored parts of each topic, or of the only one. */
function topicsOf(stored: JsonObject): JsonObject[] {
  return Array.isArray(stored.topics) ? objectList(stored.topics) : [stored];
}

/** The answer of a request. Undefined: the service has no such thing. */
async function sendUnlessMissing(call: ServiceCall, template: RequestTemplate, scope: Scope) {
  const request = await describeTemplate(call, template, scope);
  try {
    return await sendTo(call, request);
  } catch (error) {
    if (error instanceof NodeError && error.httpCode === '404') return undefined;
    throw error;
  }
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
