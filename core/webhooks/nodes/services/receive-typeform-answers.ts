/** Reads answers to forms of Typeform. */
import { isObject } from '#core/base';
import { getPath, type JsonObject } from '#core/workflow-format';
import { NodeError } from '../../node-api/node-error.ts';
import type { HookAnswer } from '../../node-api/service-hook.ts';
import type { ServiceCall } from './service-call.ts';

/** @param body `{ form_response: { definition: { fields }, answers } }` */
export async function receiveTypeformAnswers({ context }: ServiceCall, body: unknown): Promise<HookAnswer> {
  const response = getPath(body, 'form_response');
  if (!isObject(response) || !isObject(response.definition) || !Array.isArray(response.answers))
    throw new NodeError('Expected definition/answers data is missing!');
  const answers = response.answers.filter(isObject);
  const isSimple = (await context.parameter('simplifyAnswers', 0, true)) === true;
  const isAlone = (await context.parameter('onlyAnswers', 0, true)) === true;
  const simple = isSimple ? byQuestion(answers, response.definition) : answers;
  if (!isAlone)
    return {
      kind: 'item',
      json: { ...(body as JsonObject), form_response: { ...response, answers: simple } },
    };
  if (!Array.isArray(simple)) return { kind: 'item', json: simple };
  if (context.version < 1.1) return { kind: 'items', items: simple };
  return { kind: 'item', json: Object.fromEntries(simple.map((answer) => [fieldOf(answer), answer])) };
}

/** The values of the answers by the titles of their questions. */
function byQuestion(answers: JsonObject[], { fields }: JsonObject): JsonObject {
  const titles = new Map(
    (Array.isArray(fields) ? fields.filter(isObject) : []).map(({ id, title }) => [
      String(id),
      // Braces would be read as expressions where the title is shown.
      String(title).replaceAll('{{', '[').replaceAll('}}', ']'),
    ]),
  );
  return Object.fromEntries(
    answers.map((answer) => {
      const value = answer[String(answer.type)];
      const label = isObject(value) ? (value.label ?? value.labels ?? value) : value;
      return [titles.get(fieldOf(answer)) ?? fieldOf(answer), label];
    }),
  );
}

const fieldOf = ({ field }: JsonObject) => String(isObject(field) ? field.id : '');
