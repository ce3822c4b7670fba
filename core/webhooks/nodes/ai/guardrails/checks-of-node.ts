/** The checks that a Guardrails node asks for. */
import { isObject } from '#core/base';
import type { JsonObject } from '#core/workflow-format';
import type { NodeContext } from '../../../node-api/node-context.ts';
import { commaList } from '../../shared/comma-list.ts';
import { connectedModel } from '../chains/connected-model.ts';
import type { Check } from './check.ts';
import { findKeywords } from './keywords.ts';
import { checkByModel, type ModelRule } from './model-check.ts';
import { type CustomPattern, findCustomPatterns, findPersonalData } from './patterns.ts';
import prompts from './prompts.json' with { type: 'json' };
import { findSecretKeys, type Permissiveness } from './secret-keys.ts';
import { checkUrls } from './urls.ts';

const MODEL_CHECKS = ['jailbreak', 'nsfw', 'topicalAlignment', 'custom'];

/** Whether a node with this parameter needs a model. */
export function needsModel(guardrails: unknown): boolean {
  return isObject(guardrails) && MODEL_CHECKS.some((name) => guardrails[name] !== undefined);
}

/** Checks of the text itself. A sanitizing node hides what they find. */
export function textChecks(context: NodeContext, guardrails: JsonObject): Check[] {
  const checks: Check[] = [];
  const pii = groupValue(guardrails.pii);
  if (pii) {
    const entities = pii.type === 'selected' ? listOf(pii.entities) : undefined;
    checks.push({ name: 'personalData', run: (text) => findPersonalData(text, entities) });
  }
  const { customRegex, secretKeys, urls } = guardrails;
  if (isObject(customRegex) && Array.isArray(customRegex.regex)) {
    const patterns = customRegex.regex
      .filter(isObject)
      .map(({ name, value }): CustomPattern => ({ name: String(name ?? ''), value: String(value ?? '') }));
    checks.push({ name: 'customRegex', run: (text) => findCustomPatterns(context, text, patterns) });
  }
  const secrets = groupValue(secretKeys);
  if (secrets) {
    const permissiveness = (secrets.permissiveness ?? 'balanced') as Permissiveness;
    checks.push({ name: 'secretKeys', run: (text) => findSecretKeys(text, permissiveness) });
  }
  const addresses = groupValue(urls);
  if (addresses) {
    const allowed = {
      allowedUrls: commaList(addresses.allowedUrls),
      allowedSchemes: addresses.allowedSchemes === undefined ? ['https'] : listOf(addresses.allowedSchemes),
      blockUserinfo: addresses.blockUserinfo !== false,
      allowSubdomains: addresses.allowSubdomains !== false,
    };
    checks.push({ name: 'urls', run: (text) => checkUrls(text, allowed) });
  }
  return checks;
}

/** Keywords and the checks of a model. They see the text after the checks of the text itself. */
export async function inputChecks(
  context: NodeContext,
  guardrails: JsonObject,
  index: number,
): Promise<Check[]> {
  const checks: Check[] = [];
  const keywords = commaList(guardrails.keywords);
  if (keywords.length > 0) checks.push({ name: 'keywords', run: (text) => findKeywords(text, keywords) });
  const rules = modelRules(guardrails);
  if (rules.length === 0) return checks;
  const model = await connectedModel(context, index);
  const isCustom = (await context.parameter('customizeSystemMessage', index, false)) === true;
  const systemMessage = isCustom
    ? String((await context.parameter('systemMessage', index)) ?? '')
    : undefined;
  for (const rule of rules) {
    const parts = { context, model, index, rule, systemMessage };
    checks.push({ name: rule.name, run: (text) => checkByModel(text, parts) });
  }
  return checks;
}

function modelRules(guardrails: JsonObject): ModelRule[] {
  const named = (['jailbreak', 'nsfw', 'topicalAlignment'] as const).flatMap((name) => {
    const value = groupValue(guardrails[name]);
    return value ? [modelRule(name, value, prompts[name])] : [];
  });
  const { custom } = guardrails;
  const own = isObject(custom) && Array.isArray(custom.guardrail) ? custom.guardrail.filter(isObject) : [];
  return [...named, ...own.map((value) => modelRule(String(value.name ?? 'Custom Guardrail'), value, ''))];
}

function modelRule(name: string, { prompt, threshold }: JsonObject, byDefault: string): ModelRule {
  const least = Number(threshold ?? 0.7);
  return { name, prompt: String(prompt || byDefault), threshold: Number.isFinite(least) ? least : 0.7 };
}

const groupValue = (guardrail: unknown) =>
  isObject(guardrail) && isObject(guardrail.value) ? guardrail.value : undefined;

const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
